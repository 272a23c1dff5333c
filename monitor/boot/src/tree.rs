//! The device tree that Linux gets (MON-11): the machine's own, with what the monitor does for Linux.

use alloc::vec::Vec;
use core::fmt;

use dtoolkit::error::FdtErrorKind;
use dtoolkit::fdt::Fdt;
use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};
use dtoolkit::{Node, Property};

use tokkyu_monitor_core::{PROCESSORS_MAX, RANGES_MAX, Range, TOPICS_INTERRUPT};

/// A tree that Linux gets, and one that is kept: the loader runs behind it.
pub const TREE_MOST: usize = 0x8_0000;

const TOPICS: &str = "tokkyu-topics";

/// What is put into a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes<'a> {
    /// Linux's command line; nothing: as the tree has it.
    pub command_line: Option<&'a str>,
    /// Where the initrd is, if there is one.
    pub initrd: Option<Range>,
    /// Memory that is not Linux's alone (MON-60).
    pub shared: Option<Range>,
}

/// Why a tree is of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// It is none.
    NotATree(&'static str),
    /// This is missing, or not as it should be.
    Lacks(&'static str),
    /// It has more of these than the monitor takes.
    TooMany(&'static str, usize),
    /// It becomes too long, bytes.
    TooLong(usize),
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::NotATree(why) => write!(f, "the machine has no device tree that can be read: {why}"),
            TreeError::Lacks(what) => write!(f, "the machine's device tree has no {what}"),
            TreeError::TooMany(what, most) => {
                write!(f, "the machine's device tree has more {what} than the {most} that are provided for")
            }
            TreeError::TooLong(bytes) => {
                write!(
                    f,
                    "the device tree becomes {bytes} bytes long, and may have {TREE_MOST}: is the command line too long?"
                )
            }
        }
    }
}

fn parse(tree: &[u8]) -> Result<Fdt<'_>, TreeError> {
    Fdt::new(tree).map_err(|error| TreeError::NotATree(why(&error.kind)))
}

/// In our words: the crate's own bring all of `core::fmt` into flash, 17 KiB of it (MON-5).
fn why(kind: &FdtErrorKind) -> &'static str {
    match kind {
        FdtErrorKind::InvalidMagic => NO_MAGIC,
        FdtErrorKind::UnsupportedVersion(_) => "its version is not known",
        FdtErrorKind::InvalidLength => "it is not as long as it says",
        FdtErrorKind::InvalidHeader(what) => what,
        FdtErrorKind::BadToken(_) => "a token in its structure is not known",
        FdtErrorKind::InvalidOffset => "an offset in it leads nowhere",
        FdtErrorKind::InvalidString | FdtErrorKind::InvalidNodeName | FdtErrorKind::InvalidPropertyName => {
            "a name in it is not one"
        }
        _ => "its reserved memory is not as it should be",
    }
}

/// A tree's header in words, big-endian (Devicetree Specification, section 5.2): magic, length of all, where the structure is, where the
/// strings are, where the reservations are, versions and processor, lengths of strings and structure.
pub const TREE_HEADER_WORDS: usize = 10;
const MAGIC: u32 = 0xd00d_feed;
const NO_MAGIC: &str = "it has no magic number";

/// How many bytes of a tree say something: what leaves room for more says a greater length.
///
/// # Errors
/// [`TreeError`]: it is none, or more than [`TREE_MOST`].
pub fn used_bytes(header: [u32; TREE_HEADER_WORDS]) -> Result<usize, TreeError> {
    let [magic, _, structure, strings, reservations, _, _, _, strings_bytes, structure_bytes] =
        header.map(u32::from_be);
    if magic != MAGIC {
        return Err(TreeError::NotATree(NO_MAGIC));
    }
    let ends = [(structure, structure_bytes), (strings, strings_bytes), (reservations, 16)];
    let end = ends.iter().map(|(from, bytes)| u64::from(*from) + u64::from(*bytes)).max().unwrap_or(0);
    match usize::try_from(end) {
        Ok(end) if end <= TREE_MOST => Ok(end),
        _ => Err(TreeError::TooLong(usize::try_from(end).unwrap_or(usize::MAX))),
    }
}

/// The machine's memory, in the order of the tree.
///
/// # Errors
/// [`TreeError`]: there is none, or more than [`RANGES_MAX`] ranges.
pub fn memory_of(tree: &[u8]) -> Result<Vec<Range>, TreeError> {
    const WHAT: &str = "memory (nodes of device_type \"memory\" with reg)";
    let fdt = parse(tree)?;
    let mut ranges = Vec::new();
    // What is disabled is the secure world's own.
    for node in fdt.root().children().filter(|node| says(node, "device_type", "memory") && !is_disabled(node))
    {
        let reg = node.reg().map_err(|_| TreeError::Lacks(WHAT))?.ok_or(TreeError::Lacks(WHAT))?;
        for part in reg {
            let base = part.address::<u64>().map_err(|_| TreeError::Lacks(WHAT))?;
            let bytes = part.size::<u64>().map_err(|_| TreeError::Lacks(WHAT))?;
            if base.checked_add(bytes).is_none() {
                return Err(TreeError::Lacks(WHAT));
            }
            ranges.push(Range { base, bytes });
        }
    }
    match ranges.len() {
        0 => Err(TreeError::Lacks(WHAT)),
        1..=RANGES_MAX => Ok(ranges),
        _ => Err(TreeError::TooMany("ranges of memory", RANGES_MAX)),
    }
}

/// Whether a property is this string, which ends with a zero.
fn says(node: &impl Node, property: &str, string: &str) -> bool {
    node.property(property)
        .is_some_and(|property| property.value().strip_suffix(&[0]) == Some(string.as_bytes()))
}

fn is_disabled(node: &impl Node) -> bool {
    node.property("status").is_some() && !says(node, "status", "okay") && !says(node, "status", "ok")
}

/// How many processors the machine has.
///
/// # Errors
/// [`TreeError`]: there is none, or more than [`PROCESSORS_MAX`].
pub fn processors_of(tree: &[u8]) -> Result<usize, TreeError> {
    let fdt = parse(tree)?;
    let cpus = fdt.find_node("/cpus").ok_or(TreeError::Lacks("node /cpus"))?;
    match cpus.children().filter(|node| says(node, "device_type", "cpu")).count() {
        0 => Err(TreeError::Lacks("processor in /cpus")),
        count @ 1..=PROCESSORS_MAX => Ok(count),
        _ => Err(TreeError::TooMany("processors", PROCESSORS_MAX)),
    }
}

/// The tree with these changes: as it is, with power through the monitor's calls, and what QEMU leaves to a firmware.
///
/// # Errors
/// [`TreeError`].
pub fn edit(tree: &[u8], changes: &Changes<'_>) -> Result<Vec<u8>, TreeError> {
    let mut tree = DeviceTree::from_fdt(&parse(tree)?);
    power(&mut tree)?;
    if tree.root.child("chosen").is_none() {
        tree.root.add_child(DeviceTreeNode::new_unchecked("chosen"));
    }
    let chosen = tree.root.child_mut("chosen").ok_or(TreeError::Lacks("node /chosen"))?;
    if let Some(words) = changes.command_line {
        set(chosen, "bootargs", words);
    }
    if let Some(Range { base, bytes }) = changes.initrd {
        set(chosen, "linux,initrd-start", base);
        set(chosen, "linux,initrd-end", base + bytes);
    }
    if let Some(shared) = changes.shared {
        reserve(&mut tree, shared)?;
    }
    let edited = tree.to_dtb();
    if edited.len() <= TREE_MOST { Ok(edited) } else { Err(TreeError::TooLong(edited.len())) }
}

/// Processors are switched by PSCI, which is called by `smc`.
fn power(tree: &mut DeviceTree) -> Result<(), TreeError> {
    let cpus = tree.root.child_mut("cpus").ok_or(TreeError::Lacks("node /cpus"))?;
    for cpu in cpus.children_mut().filter(|node| says(&**node, "device_type", "cpu")) {
        set(cpu, "enable-method", "psci");
    }
    tree.root.remove_child("psci");
    let mut psci = DeviceTreeNode::new_unchecked("psci");
    set(&mut psci, "compatible", &["arm,psci-1.0", "arm,psci-0.2"][..]);
    set(&mut psci, "method", "smc");
    tree.root.add_child(psci);
    Ok(())
}

/// Linux leaves that memory alone, and finds it by its name (Devicetree Specification, section 3.5).
fn reserve(tree: &mut DeviceTree, shared: Range) -> Result<(), TreeError> {
    const CELLS: [&str; 2] = ["#address-cells", "#size-cells"];
    let two = 2_u32.to_be_bytes();
    let has_two = |node: &DeviceTreeNode, name| node.property(name).is_some_and(|cells| cells.value() == two);
    if !CELLS.iter().all(|name| has_two(&tree.root, name)) {
        return Err(TreeError::Lacks("addresses and sizes of two cells at its root"));
    }
    if tree.root.child("reserved-memory").is_none() {
        let mut all = DeviceTreeNode::new_unchecked("reserved-memory");
        CELLS.iter().for_each(|name| set(&mut all, name, 2_u32));
        set(&mut all, "ranges", &[][..] as &[u8]);
        tree.root.add_child(all);
    }
    let all = tree.root.child_mut("reserved-memory").ok_or(TreeError::Lacks("node /reserved-memory"))?;
    let name = alloc::format!("tokkyu@{:x}", shared.base);
    all.remove_child(&name);
    let mut own = DeviceTreeNode::new_unchecked(name);
    set(&mut own, "compatible", "tokkyu,shared");
    set(&mut own, "reg", &[shared.base.to_be_bytes(), shared.bytes.to_be_bytes()].concat()[..]);
    set(&mut own, "no-map", &[][..] as &[u8]);
    all.add_child(own);
    topics(tree, shared);
    Ok(())
}

/// A device of it, for a driver (MON-93): its interrupt is an edge of all processors' (`arm,gic-v3` binding: 0, number, 1).
fn topics(tree: &mut DeviceTree, shared: Range) {
    tree.root.remove_child(TOPICS);
    let mut own = DeviceTreeNode::new_unchecked(TOPICS);
    set(&mut own, "compatible", "tokkyu,topics");
    set(&mut own, "reg", &[shared.base.to_be_bytes(), shared.bytes.to_be_bytes()].concat()[..]);
    let interrupt = [0, TOPICS_INTERRUPT - 32, 1].map(u32::to_be_bytes);
    set(&mut own, "interrupts", &interrupt.concat()[..]);
    tree.root.add_child(own);
}

fn set(node: &mut DeviceTreeNode, name: &str, value: impl dtoolkit::ToPropertyValue) {
    node.remove_property(name);
    node.add_property(DeviceTreeProperty::new_unchecked(name, value));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::string::ToString;
    use std::vec;

    use super::*;

    fn node(name: &str, properties: &[(&str, &[u8])]) -> DeviceTreeNode {
        let mut node = DeviceTreeNode::new_unchecked(name);
        properties.iter().for_each(|(name, value)| set(&mut node, name, *value));
        node
    }

    fn memory(name: &str, base: u64, bytes: u64, status: Option<&[u8]>) -> DeviceTreeNode {
        let reg = [base.to_be_bytes(), bytes.to_be_bytes()].concat();
        let mut node = node(name, &[("device_type", b"memory\0"), ("reg", &reg)]);
        status.into_iter().for_each(|status| set(&mut node, "status", status));
        node
    }

    const SHARED: Range = Range { base: 0x7fff_0000, bytes: 0x1_0000 };
    const NOTHING: Changes<'_> = Changes { command_line: None, initrd: None, shared: None };

    /// As QEMU's `virt` has it, with secure memory, and seeds.
    fn machine() -> DeviceTree {
        let mut tree = DeviceTree::new();
        set(&mut tree.root, "#address-cells", 2_u32);
        set(&mut tree.root, "#size-cells", 2_u32);
        tree.root.add_child(node("psci", &[("method", b"hvc\0")]));
        tree.root.add_child(memory("memory@40000000", 0x4000_0000, 1 << 30, None));
        tree.root.add_child(memory("secram@e000000", 0x0e00_0000, 1 << 24, Some(b"disabled\0")));
        let mut cpus = node("cpus", &[]);
        set(&mut cpus, "#address-cells", 1_u32);
        set(&mut cpus, "#size-cells", 0_u32);
        for name in ["cpu@0", "cpu@1"] {
            cpus.add_child(node(name, &[("device_type", b"cpu\0"), ("reg", &[0; 4])]));
        }
        cpus.add_child(node("cpu-map", &[]));
        tree.root.add_child(cpus);
        tree.root
            .add_child(node("chosen", &[("kaslr-seed", &[1, 2, 3, 4, 5, 6, 7, 8]), ("bootargs", b"old\0")]));
        tree
    }

    fn value(tree: &[u8], path: &str, property: &str) -> Vec<u8> {
        let fdt = Fdt::new(tree).expect("a tree");
        let node = fdt.find_node(path).expect(path);
        node.property(property).expect(property).value().to_vec()
    }

    #[test]
    fn linux_is_told_what_the_monitor_does() {
        let initrd = Some(Range { base: 0x4400_0000, bytes: 0x1234 });
        let changes = Changes { command_line: Some("console=ttyAMA0 quiet"), initrd, shared: Some(SHARED) };
        let edited = edit(&machine().to_dtb(), &changes).expect("a tree");
        assert_eq!(value(&edited, "/chosen", "bootargs"), b"console=ttyAMA0 quiet\0");
        assert_eq!(value(&edited, "/chosen", "kaslr-seed"), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(value(&edited, "/chosen", "linux,initrd-start"), 0x4400_0000_u64.to_be_bytes());
        assert_eq!(value(&edited, "/chosen", "linux,initrd-end"), 0x4400_1234_u64.to_be_bytes());
        assert_eq!(value(&edited, "/psci", "method"), b"smc\0");
        assert_eq!(value(&edited, "/psci", "compatible"), b"arm,psci-1.0\0arm,psci-0.2\0");
        assert_eq!(value(&edited, "/cpus/cpu@1", "enable-method"), b"psci\0");
        let shared = "/reserved-memory/tokkyu@7fff0000";
        let reg = [SHARED.base.to_be_bytes(), SHARED.bytes.to_be_bytes()].concat();
        assert_eq!(value(&edited, shared, "reg"), reg);
        assert_eq!(value(&edited, shared, "no-map"), b"");
        assert_eq!(value(&edited, "/reserved-memory", "ranges"), b"");
        assert_eq!(value(&edited, "/tokkyu-topics", "reg"), reg);
        assert_eq!(value(&edited, "/tokkyu-topics", "interrupts"), [0, 0, 0, 0, 0, 0, 0, 201, 0, 0, 0, 1]);
        assert_eq!(value(&edited, "/reserved-memory", "#size-cells"), 2_u32.to_be_bytes());
        let fdt = Fdt::new(&edited).expect("a tree");
        assert!(fdt.find_node("/cpus/cpu-map").expect("it stays").property("enable-method").is_none());
    }

    #[test]
    fn what_is_not_said_stays() {
        let edited = edit(&machine().to_dtb(), &NOTHING).expect("a tree");
        assert_eq!(value(&edited, "/chosen", "bootargs"), b"old\0");
        let again = edit(&edited, &NOTHING).expect("a tree");
        assert_eq!(again, edited);
    }

    #[test]
    fn memory_and_processors_are_the_machine_s() {
        let tree = machine().to_dtb();
        assert_eq!(memory_of(&tree), Ok(vec![Range { base: 0x4000_0000, bytes: 1 << 30 }]));
        assert_eq!(processors_of(&tree), Ok(2));
    }

    #[test]
    fn a_tree_that_lacks_something_is_refused_by_name() {
        let mut tree = machine();
        tree.root.remove_child("memory@40000000");
        let error = memory_of(&tree.to_dtb()).expect_err("none").to_string();
        assert!(error.contains("has no memory"), "{error}");
        tree.root.remove_child("cpus");
        assert_eq!(processors_of(&tree.to_dtb()), Err(TreeError::Lacks("node /cpus")));
        assert_eq!(edit(&tree.to_dtb(), &NOTHING), Err(TreeError::Lacks("node /cpus")));
        let mut many = machine();
        for at in 0..RANGES_MAX as u64 {
            many.root.add_child(memory(&std::format!("memory@{at}"), at << 40, 1, None));
        }
        assert_eq!(memory_of(&many.to_dtb()), Err(TreeError::TooMany("ranges of memory", RANGES_MAX)));
        let mut round = machine();
        round.root.add_child(memory("memory@round", u64::MAX, 2, None));
        assert!(memory_of(&round.to_dtb()).is_err());
    }

    #[test]
    fn what_a_tree_uses_is_less_than_what_it_has() {
        let mut tree = machine().to_dtb();
        let words = |tree: &[u8]| {
            let word = |at: usize| u32::from_ne_bytes(tree[4 * at..][..4].try_into().expect("four bytes"));
            core::array::from_fn(word)
        };
        let all = tree.len();
        assert_eq!(used_bytes(words(&tree)), Ok(all));
        tree.resize(1 << 20, 0);
        tree[4..8].copy_from_slice(&(1_u32 << 20).to_be_bytes());
        assert_eq!(used_bytes(words(&tree)), Ok(all));
        tree[36..40].copy_from_slice(&u32::MAX.to_be_bytes());
        assert!(matches!(used_bytes(words(&tree)), Err(TreeError::TooLong(_))));
        assert!(matches!(used_bytes([0; TREE_HEADER_WORDS]), Err(TreeError::NotATree(_))));
    }

    #[test]
    fn a_command_line_that_is_too_long_is_told() {
        let words = "x".repeat(TREE_MOST);
        let error = edit(&machine().to_dtb(), &Changes { command_line: Some(&words), ..NOTHING });
        assert!(matches!(error, Err(TreeError::TooLong(bytes)) if bytes > TREE_MOST));
    }

    fn all(tree: &[u8]) {
        let _ = (memory_of(tree), processors_of(tree));
        let initrd = Some(Range { base: 1 << 30, bytes: 7 });
        if let Ok(edited) = edit(tree, &Changes { command_line: Some("words"), initrd, shared: Some(SHARED) })
        {
            assert!(Fdt::new(&edited).is_ok());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            all(&bytes);
        }

        #[test]
        fn nor_is_a_tree_with_some_of_them_changed(changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6), cut: u16) {
            let mut tree = machine().to_dtb();
            for (at, byte) in changes {
                let at = usize::from(at) % tree.len();
                tree[at] = byte;
            }
            all(&tree);
            all(&tree[..usize::from(cut) % tree.len()]);
        }
    }
}
