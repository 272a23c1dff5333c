//! Topics in memory that another system writes (MON-92, MON-95, NODE-25). The first byte says what is read: 0 a directory, which the rest is;
//! else a window, over which the rest is written from the word of the second byte on.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use tokkyu_monitor_topics::{Direction, SHARED_WORDS, read};
use tokkyu_window::{WindowForm, WindowReader, WindowWriter};

const DIRECTORY: usize = 0x1_0000 / 4;
const FORM: Result<WindowForm, tokkyu_window::WindowError> = WindowForm::new(4, 20);

fn put(memory: &[AtomicU32], bytes: &[u8]) {
    for (word, bytes) in memory.iter().zip(bytes.chunks(4)) {
        let mut four = [0; 4];
        four[..bytes.len()].copy_from_slice(bytes);
        word.store(u32::from_le_bytes(four), Relaxed);
    }
}

fn directory(bytes: &[u8]) {
    // Zeroed by the system, page by page as it is reached.
    let mut memory: Vec<AtomicU32> = Vec::new();
    memory.resize_with(SHARED_WORDS, AtomicU32::default);
    put(&memory[DIRECTORY..], bytes);
    for topic in read(&memory).into_iter().flatten() {
        let windows = match topic.direction {
            Direction::FromRtos => DIRECTORY + 0x8000 / 4..SHARED_WORDS / 2,
            Direction::FromLinux => SHARED_WORDS / 2..SHARED_WORDS,
        };
        assert!(windows.start <= topic.words().start && topic.words().end <= windows.end);
        if let Ok(mut reader) = WindowReader::new(&memory[topic.words()], topic.form) {
            look(&mut reader, topic.form);
        }
    }
}

fn look(reader: &mut WindowReader<'_>, form: WindowForm) {
    reader.go_back();
    for _ in 0..3 {
        if let Some(view) = reader.look() {
            assert!(view.len() <= form.slot_bytes() as usize);
            let mut message = Vec::new();
            view.copy_to(&mut message);
            assert_eq!(message.len(), view.len());
            reader.is_whole(&view);
        }
    }
}

fn window(from: u8, bytes: &[u8]) {
    let Ok(form) = FORM else { return };
    let memory: Vec<AtomicU32> = (0..form.words()).map(|_| AtomicU32::new(0)).collect();
    let Ok(mut writer) = WindowWriter::new(&memory, form) else { return };
    let Ok(mut reader) = WindowReader::new(&memory, form) else { return };
    let _ = writer.publish(&[1; 20]);
    put(memory.get(usize::from(from)..).unwrap_or_default(), bytes);
    look(&mut reader, form);
    // Whatever it was, another window is read from its beginning.
    if let Ok(mut writer) = WindowWriter::new(&memory, form) {
        let _ = writer.publish(&[2; 20]);
        let mut message = Vec::new();
        assert!(reader.take(&mut message).is_some() && message == [2; 20]);
    }
}

pub(super) fn run(bytes: &[u8]) {
    match bytes {
        [0, rest @ ..] => directory(rest),
        [_, from, rest @ ..] => window(*from, rest),
        _ => {}
    }
}
