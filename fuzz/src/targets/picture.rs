//! A picture sample (drive/SPEC.md DRV-20 to DRV-24): what is read is written again as the same bytes.

use bytes::Bytes;
use tokkyu_drive::camera::dummy;
use tokkyu_drive::picture::Picture;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let sample = Bytes::copy_from_slice(bytes);
    if let Ok(picture) = Picture::decode(&sample) {
        assert_eq!(picture.encode().as_deref(), Ok(bytes), "DRV-24");
        if dummy::verify(&picture.data) {
            assert!(dummy::stamp(&picture.data).is_some(), "DRV-26");
        }
    }
}
