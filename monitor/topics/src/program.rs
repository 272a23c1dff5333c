//! What it does: reads its arguments, and the device.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokkyu_monitor_topics::{DEVICE, Device, Direction, Entry};
use tokkyu_window::{WindowReader, WindowWriter};

const USAGE: &str = "usage: topics list | echo TOPIC [COUNT] | send TOPIC HEX... | mirror FROM TO [copy]

  topics list                      what the RTOS beside this Linux has, and who publishes it
  topics echo /cmd_vel_applied 10  ten messages of the RTOS's as they come, in hexadecimal; all, without a number
  topics send /cmd_vel 00 00 ...   one message for the RTOS; what was sent before by others is gone
  topics mirror /there /back       each message of the RTOS's goes back, as long as it came, with its first and last word; for who measures
  topics mirror /there /back copy  the same by way of this program's own memory
";
/// Between two looks when nobody rings.
const LOOK: Duration = Duration::from_secs(1);

pub(crate) fn run() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match &words[..] {
        ["list"] => list(),
        ["echo", topic] => echo(topic, None),
        ["echo", topic, count] => match count.parse() {
            Ok(count) => echo(topic, Some(count)),
            Err(_) => return usage(),
        },
        ["send", topic, bytes @ ..] => {
            match bytes.iter().map(|byte| u8::from_str_radix(byte, 16)).collect() {
                Ok(bytes) => send(topic, bytes),
                Err(_) => return usage(),
            }
        }
        ["mirror", from, to] => mirror(from, to, send_back),
        ["mirror", from, to, "copy"] => mirror(from, to, copy_back),
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("topics: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}

fn open() -> Result<Device, Box<dyn Error>> {
    let remedy = "the driver is linux/dualos (monitor/build-driver), and needs the monitor and an RTOS";
    Device::open(Path::new(DEVICE)).map_err(|error| format!("{DEVICE}: {error}; {remedy}").into())
}

fn find(device: &Device, name: &str, direction: Direction) -> Result<Entry, Box<dyn Error>> {
    let topics = device.topics()?;
    let is_it = |topic: &Entry| topic.name == name && topic.direction == direction;
    topics.into_iter().find(is_it).ok_or_else(|| {
        let what = if direction == Direction::FromRtos { "publishes" } else { "reads" };
        format!("{name}: no topic that the RTOS {what}; topics list says which there are").into()
    })
}

fn list() -> Result<(), Box<dyn Error>> {
    for topic in open()?.topics()? {
        let way = if topic.direction == Direction::FromRtos { "from the RTOS" } else { "to the RTOS" };
        let (slots, bytes) = (topic.form.slots(), topic.form.slot_bytes());
        writeln!(
            io::stdout(),
            "{} {} {way}, {slots} messages of {bytes} bytes at most",
            topic.name,
            topic.kind
        )?;
    }
    Ok(())
}

fn echo(name: &str, count: Option<u64>) -> Result<(), Box<dyn Error>> {
    let device = open()?;
    let topic = find(&device, name, Direction::FromRtos)?;
    let mut reader = device.reader(&topic)?;
    let (mut message, mut left) = (Vec::new(), count);
    while left != Some(0) {
        let Some(sample) = reader.take(&mut message) else {
            device.wait(LOOK)?;
            continue;
        };
        left = left.map(|left| left - 1);
        let bytes: String = message.iter().map(|byte| format!(" {byte:02x}")).collect();
        writeln!(io::stdout(), "{}:{bytes}", sample.number)?;
    }
    Ok(())
}

fn send(name: &str, message: Vec<u8>) -> Result<(), Box<dyn Error>> {
    let device = open()?;
    let topic = find(&device, name, Direction::FromLinux)?;
    let sent = device.writer(&topic)?.publish(&message);
    sent.map_err(|error| {
        format!("{name}: the message has {} bytes, at most {} go", message.len(), error.most)
    })?;
    Ok(device.ring()?)
}

/// What a message of the RTOS's is answered with, if there is one.
type Answer = fn(&mut WindowReader<'_>, &mut WindowWriter<'_>, &mut Vec<u8>) -> bool;

/// Where both are.
fn send_back(reader: &mut WindowReader<'_>, writer: &mut WindowWriter<'_>, _: &mut Vec<u8>) -> bool {
    let Some(view) = reader.look() else { return false };
    let ends = |words: &[AtomicU32]| [words.first().map(load), words.last().map(load)];
    let (first_and_last, len) = (ends(view.words()), view.len());
    if reader.is_whole(&view) {
        let loan = writer.loan();
        let words = loan.words().get(..len.div_ceil(4)).unwrap_or_default();
        for (word, value) in words.first().into_iter().chain(words.last()).zip(first_and_last) {
            word.store(value.unwrap_or(0), Relaxed);
        }
        // The window says whether that is too long.
        let _ = loan.publish(len as u32);
    }
    true
}

fn load(word: &AtomicU32) -> u32 {
    word.load(Relaxed)
}

fn copy_back(reader: &mut WindowReader<'_>, writer: &mut WindowWriter<'_>, message: &mut Vec<u8>) -> bool {
    let is_there = reader.take(message).is_some();
    if is_there {
        let _ = writer.publish(message);
    }
    is_there
}

/// Until somebody ends it.
fn mirror(from: &str, to: &str, answer: Answer) -> Result<(), Box<dyn Error>> {
    let device = open()?;
    let (from, to) = (find(&device, from, Direction::FromRtos)?, find(&device, to, Direction::FromLinux)?);
    let (mut reader, mut writer) = (device.reader(&from)?, device.writer(&to)?);
    let mut message = Vec::new();
    loop {
        if answer(&mut reader, &mut writer, &mut message) {
            device.ring()?;
        } else {
            device.wait(LOOK)?;
        }
    }
}
