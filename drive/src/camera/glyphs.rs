//! Letters on a grey picture: the font8x8 glyphs, enlarged by a whole factor.
//!
//! Pure; time proportional to the pixels drawn. Invariant: nothing is written outside the canvas, whatever the
//! position, so a test picture may have any size.

use font8x8::UnicodeFonts;

/// Pixels of a glyph, each way, before it is enlarged.
pub(super) const GLYPH_PIXELS: usize = 8;

/// A grey picture being drawn, one byte for each pixel.
pub(super) struct Canvas<'a> {
    /// `width` × `height` bytes, rows from the top.
    pub(super) pixels: &'a mut [u8],
    /// Pixels in a row.
    pub(super) width: usize,
}

impl Canvas<'_> {
    /// Fills a rectangle, cut to the canvas.
    pub(super) fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, grey: u8) {
        let (left, right) = (x.min(self.width), (x.saturating_add(width)).min(self.width));
        for row in self.pixels.chunks_exact_mut(self.width).skip(y).take(height) {
            row[left..right].fill(grey);
        }
    }

    /// Writes `text` with its top left corner at (x, y), white on black, each glyph `8 × scale` pixels wide.
    /// A character the font lacks is drawn as `?`.
    pub(super) fn write(&mut self, text: &str, x: usize, y: usize, scale: usize) {
        let side = GLYPH_PIXELS * scale;
        for (index, letter) in text.chars().enumerate() {
            let left = x + index * side;
            if left >= self.width {
                return;
            }
            self.fill(left, y, side, side, 0);
            self.glyph(letter, left, y, scale);
        }
    }

    fn glyph(&mut self, letter: char, left: usize, top: usize, scale: usize) {
        let rows = glyph_rows(letter);
        for (row, bits) in rows.into_iter().enumerate() {
            // The font's lowest bit is the leftmost pixel.
            for column in (0..GLYPH_PIXELS).filter(|column| bits >> column & 1 == 1) {
                self.fill(left + column * scale, top + row * scale, scale, scale, 255);
            }
        }
    }
}

fn glyph_rows(letter: char) -> [u8; GLYPH_PIXELS] {
    font8x8::BASIC_FONTS
        .get(letter)
        .or_else(|| font8x8::LATIN_FONTS.get(letter))
        .or_else(|| font8x8::BASIC_FONTS.get('?'))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(width: usize, height: usize, draw: impl FnOnce(&mut Canvas)) -> Vec<String> {
        let mut pixels = vec![9; width * height];
        draw(&mut Canvas { pixels: &mut pixels, width });
        let shade = |&p: &u8| {
            if p == 255 {
                '#'
            } else if p == 0 {
                ' '
            } else {
                '.'
            }
        };
        pixels.chunks(width).map(|row| row.iter().map(shade).collect()).collect()
    }

    #[test]
    fn a_letter_reads_the_right_way_round() {
        let rows = drawing(8, 8, |canvas| canvas.write("L", 0, 0, 1));
        assert_eq!(
            rows,
            ["####    ", " ##     ", " ##     ", " ##     ", " ##   # ", " ##  ## ", "####### ", "        "]
        );
    }

    #[test]
    fn what_does_not_fit_is_cut_and_never_wraps_into_the_next_row() {
        let rows = drawing(10, 9, |canvas| canvas.write("LL", 4, 5, 1));
        assert!(rows[..5].iter().all(|row| row == ".........."), "{rows:?}");
        assert_eq!(&rows[5], "....####  ");
        drawing(3, 3, |canvas| canvas.write("wide", 100, 100, 40));
    }
}
