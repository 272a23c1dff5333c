//! Text that came from another machine or program, made fit for a terminal.
//!
//! Pure; bounded by the limit the caller gives. Invariant: nothing returned can move the cursor, change a colour or
//! end a line, so a peer's flow name or another program's complaint cannot draw on the operator's screen.

/// `text` with every control character shown as `·`, cut to at most `limit` characters.
pub fn printable(text: &str, limit: usize) -> String {
    text.chars().take(limit).map(|c| if c.is_control() { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_escape_codes_cannot_draw_on_the_screen() {
        assert_eq!(printable("front\x1b[2J\r\n\u{9b}x", 80), "front·[2J···x");
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        assert_eq!(printable("特急特急", 3), "特急特");
    }
}
