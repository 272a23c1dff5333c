//! Places of a structure's members, as the kernel describes its types to BPF (Linux, `Documentation/bpf/btf.rst`).
//!
//! The crates for that are LGPL, or copy each of a kernel's 150 000 types before they answer; this reads in place.

/// Why it is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BtfError {
    /// It does not begin as it should.
    #[error("the kernel's types are no BTF, little-endian")]
    NotBtf,
    /// It ends before what it says is there.
    #[error("the kernel's types are cut off")]
    Cut,
    /// Of how many bytes such a type is, is not known here.
    #[error("the kernel's types have one of kind {0}, which is not known here")]
    Kind(u32),
    /// There is no such member.
    #[error("the kernel's types have no {0}")]
    Missing(&'static str),
}

const MAGIC: u16 = 0xeb9f;
const TYPE_BYTES: usize = 12;
const MEMBER_BYTES: usize = 12;
const STRUCT: u32 = 4;
const UNION: u32 = 5;
/// Structures without a name within another, one in the other.
const DEEPEST: usize = 8;
/// In a type's second word: members' places have their width beside them.
const HAS_WIDTHS: u32 = 1 << 31;

/// Types, looked through once.
#[derive(Debug)]
pub struct Btf<'a> {
    types: &'a [u8],
    names: &'a [u8],
    /// Where each type begins; the first has number 1.
    at: Vec<u32>,
}

/// A member: where it is in its structure, in bits, and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    bits: u64,
    of_type: u32,
}

fn word(bytes: &[u8], at: usize) -> Result<u32, BtfError> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or(BtfError::Cut)?;
    Ok(u32::from_le_bytes(*four))
}

/// What follows a type, by its kind and how many members it has.
fn more_bytes(kind: u32, members: usize) -> Result<usize, BtfError> {
    Ok(match kind {
        1 | 14 | 17 => 4,
        2 | 7..=12 | 16 | 18 => 0,
        3 => 12,
        STRUCT | UNION | 15 | 19 => 12 * members,
        6 | 13 => 8 * members,
        other => return Err(BtfError::Kind(other)),
    })
}

impl<'a> Btf<'a> {
    /// Looks through all types.
    ///
    /// # Errors
    /// [`BtfError`].
    pub fn read(bytes: &'a [u8]) -> Result<Btf<'a>, BtfError> {
        if bytes.first_chunk() != Some(&MAGIC.to_le_bytes()) {
            return Err(BtfError::NotBtf);
        }
        let field = |at| word(bytes, at).map(|value| value as usize);
        let part = |at: usize, length: usize| -> Result<&'a [u8], BtfError> {
            let begin = field(4)?.checked_add(at).ok_or(BtfError::Cut)?;
            let end = begin.checked_add(length).ok_or(BtfError::Cut)?;
            bytes.get(begin..end).ok_or(BtfError::Cut)
        };
        let (types, names) = (part(field(8)?, field(12)?)?, part(field(16)?, field(20)?)?);
        let (mut at, mut next) = (Vec::new(), 0);
        while next < types.len() {
            at.push(next as u32);
            let info = word(types, next + 4)?;
            next += TYPE_BYTES + more_bytes(info >> 24 & 0x1f, (info & 0xffff) as usize)?;
        }
        Ok(Btf { types, names, at })
    }

    /// Where a member of a member of a structure is, in bytes.
    ///
    /// # Errors
    /// [`BtfError::Missing`].
    pub fn place(&self, structure: &'static str, path: &[&'static str]) -> Result<u64, BtfError> {
        let mut of_type = self.structure(structure).ok_or(BtfError::Missing(structure))?;
        let mut bits = 0;
        for name in path {
            let member = self.member(of_type, name, DEEPEST)?.ok_or(BtfError::Missing(name))?;
            bits += member.bits;
            of_type = member.of_type;
        }
        Ok(bits / 8)
    }

    /// Number of the structure of this name that has members.
    fn structure(&self, name: &str) -> Option<u32> {
        (1..).zip(&self.at).find_map(|(number, at)| {
            let info = word(self.types, *at as usize + 4).ok()?;
            let is_it = info >> 24 & 0x1f == STRUCT && self.is_named(*at as usize, name);
            is_it.then_some(number)
        })
    }

    fn is_named(&self, at: usize, name: &str) -> bool {
        let begin = word(self.types, at).unwrap_or(u32::MAX) as usize;
        let rest = self.names.get(begin..).unwrap_or_default();
        rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
    }

    /// A member, also of what has no name within the structure.
    fn member(&self, of_type: u32, name: &str, deepest: usize) -> Result<Option<Member>, BtfError> {
        let number = (of_type as usize).checked_sub(1);
        let Some(at) = number.and_then(|number| self.at.get(number)) else { return Ok(None) };
        let at = *at as usize;
        let info = word(self.types, at + 4)?;
        if !matches!(info >> 24 & 0x1f, STRUCT | UNION) {
            return Ok(None);
        }
        let mask = if info & HAS_WIDTHS != 0 { 0xff_ffff } else { u32::MAX };
        for index in 0..(info & 0xffff) as usize {
            let at = at + TYPE_BYTES + MEMBER_BYTES * index;
            let of_type = word(self.types, at + 4)?;
            let bits = u64::from(word(self.types, at + 8)? & mask);
            if self.is_named(at, name) {
                return Ok(Some(Member { bits, of_type }));
            }
            let has_inner = self.is_named(at, "") && deepest > 0;
            if has_inner && let Some(inner) = self.member(of_type, name, deepest - 1)? {
                return Ok(Some(Member { bits: bits + inner.bits, ..inner }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As the kernel has it on arm64: `task_struct { int state; struct thread_info { long flags; union { u64 preempt_count; } } thread_info }`.
    pub(crate) fn kernel_types() -> Vec<u8> {
        let names = b"\0task_struct\0thread_info\0preempt_count\0flags\0long\0state\0";
        let name = |wanted: &str| {
            let text = std::str::from_utf8(names).unwrap();
            if wanted.is_empty() { 0 } else { text.find(wanted).unwrap() as u32 }
        };
        let kind = |kind: u32, members: u32| kind << 24 | members;
        let types: &[&[u32]] = &[
            &[name("long"), kind(1, 0), 8, 64],
            &[name(""), kind(UNION, 1), 8, name("preempt_count"), 1, 0],
            &[name("thread_info"), kind(STRUCT, 2), 16, name("flags"), 1, 0, name(""), 2, 64],
            &[name("task_struct"), kind(7, 0), 0],
            &[name("task_struct"), kind(STRUCT, 2) | HAS_WIDTHS, 32, name("state"), 1, 64 << 24],
        ];
        let mut words: Vec<u32> = types.concat();
        words.extend([name("thread_info"), 3, 64]);
        let types_bytes = 4 * words.len() as u32;
        let header = [u32::from(MAGIC) | 1 << 16, 24, 0, types_bytes, types_bytes, names.len() as u32];
        let bytes = header.iter().chain(&words).flat_map(|word| word.to_le_bytes());
        bytes.chain(*names).collect()
    }

    #[test]
    fn a_place_is_found_through_what_has_no_name() {
        let bytes = kernel_types();
        let btf = Btf::read(&bytes).unwrap();
        assert_eq!(btf.place("task_struct", &["thread_info", "preempt_count"]), Ok(16));
        assert_eq!(btf.place("task_struct", &["state"]), Ok(0));
        assert_eq!(btf.place("task_struct", &["threads"]), Err(BtfError::Missing("threads")));
        assert_eq!(btf.place("task", &[]), Err(BtfError::Missing("task")));
    }

    #[test]
    fn what_is_no_btf_is_told() {
        let mut bytes = kernel_types();
        assert_eq!(Btf::read(&bytes[..40]).unwrap_err(), BtfError::Cut);
        assert_eq!(Btf::read(b"no types").unwrap_err(), BtfError::NotBtf);
        bytes[24 + 7] = 31;
        assert_eq!(Btf::read(&bytes).unwrap_err(), BtfError::Kind(31));
    }

    proptest! {
        #[test]
        fn no_change_of_it_ends_the_program(at: prop::sample::Index, byte: u8, end: prop::sample::Index) {
            let mut bytes = kernel_types();
            let changed = at.index(bytes.len());
            bytes[changed] = byte;
            let end = end.index(bytes.len() + 1);
            if let Ok(btf) = Btf::read(&bytes[..end]) {
                let _ = btf.place("task_struct", &["thread_info", "preempt_count"]);
            }
        }
    }
}
