//! What an image takes, from its sections.

use object::{Object, ObjectSection, SectionFlags, elf};
use tokkyu_measure::rtos::ImageSize;

/// Of an ELF file.
///
/// # Errors
/// It is none.
pub fn image_size(name: &str, file: &[u8]) -> Result<ImageSize, object::Error> {
    let (mut text, mut rodata, mut data, mut bss) = (0, 0, 0, 0);
    for section in object::File::parse(file)?.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let has = |flag: u32| sh_flags & u64::from(flag) != 0;
        let place = match (has(elf::SHF_ALLOC), has(elf::SHF_EXECINSTR), has(elf::SHF_WRITE)) {
            (false, ..) => continue,
            (_, true, _) => &mut text,
            (_, _, false) => &mut rodata,
            _ if section.file_range().is_none() => &mut bss,
            _ => &mut data,
        };
        *place += section.size();
    }
    Ok(ImageSize::new(name, text, rodata, data, bss))
}
