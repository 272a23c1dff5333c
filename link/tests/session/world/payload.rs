//! Payloads that say whose they are, so that a mixed-up or damaged sample shows.

/// A payload of `bytes` bytes: the tag where there is room for it, then bytes that depend on tag and place.
pub fn tagged(tag: u32, bytes: usize) -> Vec<u8> {
    let mut payload: Vec<u8> = tag.to_le_bytes().into_iter().take(bytes).collect();
    payload.extend((payload.len()..bytes).map(|at| byte_at(tag, at)));
    payload
}

/// The tag of a payload made by [`tagged`], every byte checked. Payloads shorter than a tag give 0.
pub fn tag_of(payload: &[u8]) -> u32 {
    let Some((head, rest)) = payload.split_first_chunk::<4>() else { return 0 };
    let tag = u32::from_le_bytes(*head);
    let damaged = rest.iter().enumerate().position(|(at, byte)| *byte != byte_at(tag, at + 4));
    assert_eq!(damaged, None, "payload of tag {tag} ({} bytes) is damaged", payload.len());
    tag
}

fn byte_at(tag: u32, at: usize) -> u8 {
    (tag as usize).wrapping_mul(31).wrapping_add(at.wrapping_mul(7)).wrapping_add(at / 251) as u8
}
