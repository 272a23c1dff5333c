//! Compression of pictures to JPEG (a stream of them is MJPEG), at a quality that follows the granted bit rate.
//!
//! Runs in the camera's thread; a 680×550 grey picture takes a few milliseconds, which are part of its age.
//! Invariant: what comes out decodes to a picture of the size its [`Encoding`] says. Each picture stands alone, so a
//! lost one spoils no other.

use std::io::Cursor;

use bytes::Bytes;
use jpeg_encoder::{ColorType, Encoder};
use tokkyu_contract::MonoTime;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{Camera, CameraError, Frame, JpegRate};
use crate::picture::Encoding;

/// `frame` as JPEG at `quality`, 1 (small) to 100 (fine). Frames that are JPEG or opaque already come back as they
/// are.
///
/// # Errors
/// [`CameraError::Encode`] when the frame's bytes do not fit its size.
pub fn jpeg(frame: Frame, quality: u8) -> Result<Frame, CameraError> {
    let (width, height) = frame.encoding.size();
    let colours = match frame.encoding {
        Encoding::Mono8 { .. } => ColorType::Luma,
        Encoding::Rgb8 { .. } => ColorType::Rgb,
        Encoding::Jpeg { .. } | Encoding::Opaque => return Ok(frame),
    };
    // A tenth of the raw picture is more than most need: one allocation.
    let mut compressed = Vec::with_capacity(frame.data.len() / 10);
    Encoder::new(&mut compressed, quality)
        .encode(&frame.data, width, height, colours)
        .map_err(|error| CameraError::Encode { sequence: frame.sequence, why: error.to_string() })?;
    Ok(Frame { data: Bytes::from(compressed), encoding: Encoding::Jpeg { width, height }, ..frame })
}

/// `frame`, which is JPEG, as colours.
///
/// # Errors
/// [`CameraError::Encode`] when it does not decode to a picture of the size its [`Encoding`] says.
fn colours(frame: Frame) -> Result<Frame, CameraError> {
    let (width, height) = frame.encoding.size();
    let wrong = |why: String| CameraError::Encode { sequence: frame.sequence, why };
    let options = DecoderOptions::new_fast()
        .set_max_width(width.into())
        .set_max_height(height.into())
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(&frame.data), options);
    let pixels = decoder.decode().map_err(|error| wrong(format!("the device's picture: {error:?}")))?;
    match decoder.dimensions() {
        Some(found) if found == (width.into(), height.into()) => {
            Ok(Frame { data: Bytes::from(pixels), encoding: Encoding::Rgb8 { width, height }, ..frame })
        }
        found => Err(wrong(format!("the device's picture has another size: {found:?}"))),
    }
}

/// A camera whose pictures are compressed to a bit rate. Those that are compressed already are passed on as they are where
/// they fit it, and compressed anew where they do not.
pub struct JpegCamera<C> {
    source: C,
    rate: JpegRate,
}

impl<C: Camera> JpegCamera<C> {
    /// Compresses `source`'s pictures as `rate` says.
    pub fn new(source: C, rate: JpegRate) -> JpegCamera<C> {
        JpegCamera { source, rate }
    }

    /// The controller, to tell it what is granted.
    pub fn rate_mut(&mut self) -> &mut JpegRate {
        &mut self.rate
    }

    /// The camera the pictures come from.
    pub fn source(&self) -> &C {
        &self.source
    }
}

impl<C: Camera> Camera for JpegCamera<C> {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        let mut raw = self.source.next(due)?;
        let is_jpeg = matches!(raw.encoding, Encoding::Jpeg { .. });
        if is_jpeg && raw.data.len() as u64 > self.rate.budget_bytes() {
            raw = colours(raw)?;
        }
        let compressible = matches!(raw.encoding, Encoding::Mono8 { .. } | Encoding::Rgb8 { .. });
        let frame = jpeg(raw, self.rate.quality())?;
        if compressible {
            self.rate.on_encoded(frame.data.len());
        }
        Ok(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Dummy, TestPicture};
    use crate::picture::Picture;
    use tokkyu_contract::WallTime;

    fn test_picture(width: u16, height: u16) -> TestPicture {
        TestPicture::new("front", width, height, (MonoTime::ZERO, WallTime::ZERO)).unwrap()
    }

    /// Decodes with another author's decoder: pixels, width, height.
    fn decoded(jpeg: &[u8], colours: ColorSpace) -> (Vec<u8>, usize, usize) {
        let options = DecoderOptions::default().jpeg_set_out_colorspace(colours);
        let mut decoder = zune_jpeg::JpegDecoder::new_with_options(std::io::Cursor::new(jpeg), options);
        let pixels = decoder.decode().expect("the encoder's output decodes");
        let (width, height) = decoder.dimensions().expect("decoded pictures have a size");
        (pixels, width, height)
    }

    #[test]
    fn a_grey_picture_comes_back_nearly_as_it_was() {
        let raw = test_picture(680, 550).next(MonoTime::ZERO).unwrap();
        let compressed = jpeg(raw.clone(), 90).unwrap();
        assert_eq!(compressed.encoding, Encoding::Jpeg { width: 680, height: 550 });
        assert_eq!(compressed.sequence, raw.sequence);
        let (pixels, width, height) = decoded(&compressed.data, ColorSpace::Luma);
        assert_eq!((width, height, pixels.len()), (680, 550, raw.data.len()));
        let error: u64 = raw.data.iter().zip(&pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        assert!(error / 374_000 < 3, "mean error {} grey levels", error / 374_000);
        assert!(Picture::from(compressed).encode().is_ok());
    }

    #[test]
    fn a_colour_picture_keeps_its_colours() {
        let red = [200u8, 30, 30].repeat(33 * 17);
        let encoding = Encoding::Rgb8 { width: 33, height: 17 };
        let frame = Frame { data: red.into(), encoding, sequence: 5, source_time: None, given: None };
        let (pixels, width, height) = decoded(&jpeg(frame, 80).unwrap().data, ColorSpace::RGB);
        assert_eq!((width, height, pixels.len()), (33, 17, 33 * 17 * 3));
        let [r, g, b] = pixels[..3] else { panic!("no pixel") };
        assert!(r > 180 && g < 60 && b < 60, "{r} {g} {b}");
    }

    #[test]
    fn a_frame_that_contradicts_its_size_is_an_error_and_not_a_panic() {
        let encoding = Encoding::Mono8 { width: 100, height: 100 };
        let frame = Frame {
            data: Bytes::from_static(b"short"),
            encoding,
            sequence: 9,
            source_time: None,
            given: None,
        };
        let error = jpeg(frame, 50).unwrap_err();
        assert!(error.to_string().starts_with("picture 9 could not be compressed"), "{error}");
    }

    #[test]
    fn the_stream_comes_down_to_what_is_granted() {
        let granted_bps = 1_040_000;
        let mut camera = JpegCamera::new(test_picture(680, 550), JpegRate::new(10.0, granted_bps));
        let first = camera.next(MonoTime::ZERO).unwrap().data.len();
        let lengths: Vec<_> =
            (1..40).map(|n| camera.next(MonoTime::from_millis(n * 100)).unwrap().data.len()).collect();
        let budget = usize::try_from(granted_bps / 80).unwrap();
        assert!(first > budget, "{first} B must be too long for this test to mean something");
        assert!(lengths[10..].iter().all(|&length| length <= budget), "{lengths:?}");
        camera.rate_mut().set_granted(100 * granted_bps);
        let later = (40..80).map(|n| camera.next(MonoTime::from_millis(n * 100)).unwrap().data.len());
        assert!(later.last().unwrap() > first, "plenty is used again");
    }

    /// A source that compresses by itself.
    struct Compressed(TestPicture);

    impl Camera for Compressed {
        fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
            jpeg(self.0.next(due)?, 90)
        }
    }

    #[test]
    fn a_picture_that_is_compressed_already_passes_as_it_is_where_it_fits_and_becomes_smaller_where_not() {
        let one = Compressed(test_picture(680, 550)).next(MonoTime::ZERO).unwrap();
        let mut plenty = JpegCamera::new(Compressed(test_picture(680, 550)), JpegRate::new(10.0, 80_000_000));
        assert_eq!(plenty.next(MonoTime::ZERO).unwrap(), one);
        let budget = one.data.len() / 2;
        let granted_bps = (budget * 80) as u64;
        let mut little =
            JpegCamera::new(Compressed(test_picture(680, 550)), JpegRate::new(10.0, granted_bps));
        let later = (0..20).map(|n| little.next(MonoTime::from_millis(n * 100)).unwrap()).last().unwrap();
        assert!(later.data.len() <= budget, "{} of {budget} B", later.data.len());
        assert_eq!((decoded(&later.data, ColorSpace::Luma).1, later.encoding), (680, one.encoding));
    }

    #[test]
    fn a_compressed_picture_that_is_none_is_told_and_the_next_one_comes() {
        struct Torn(Compressed);
        impl Camera for Torn {
            fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
                let frame = self.0.next(due)?;
                let cut = if frame.sequence == 0 { 40 } else { frame.data.len() };
                Ok(Frame { data: frame.data.slice(..cut), ..frame })
            }
        }
        let mut camera = JpegCamera::new(Torn(Compressed(test_picture(680, 550))), JpegRate::new(10.0, 80));
        let error = camera.next(MonoTime::ZERO).unwrap_err();
        assert!(error.is_passing() && error.to_string().contains("the device's picture"), "{error}");
        assert!(camera.next(MonoTime::from_millis(100)).is_ok());
    }

    #[test]
    fn what_cannot_be_compressed_passes_unchanged() {
        let mut camera = JpegCamera::new(Dummy::new(1_000).unwrap(), JpegRate::new(10.0, 1));
        let frame = camera.next(MonoTime::ZERO).unwrap();
        assert_eq!(frame, Dummy::new(1_000).unwrap().next(MonoTime::ZERO).unwrap());
    }
}
