//! How long a sample takes from one thread to another when neither sleeps: the way of a message without the kernel's part.
//!
//! `cargo run --release -p tokkyu-topic --example hot_path`; two processors have to be free. Nanoseconds; the clock itself takes some 20 of each.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokkyu_topic::{Bell, Channel, Limits, Reader, Terms};

const SAMPLES: u32 = 50_000;
/// From one sample to the next: both threads have time for all that comes after.
const PAUSE: Duration = Duration::from_micros(10);

fn main() -> Result<(), Box<dyn Error>> {
    let (mut publisher, channel) = Channel::new(Limits::for_links(1, 1), || None)?;
    let bell = Arc::new(Bell::new());
    let reader = channel.join(Terms::keep_last(1), bell.clone(), 0)?;
    let taken = Arc::new(AtomicU32::new(0));
    let told = taken.clone();
    let taking = std::thread::spawn(move || take_all(reader, &bell, &told));
    let (mut loaning, mut publishing) = (Vec::new(), Vec::new());
    for number in 0..SAMPLES {
        let begin = Instant::now();
        while begin.elapsed() < PAUSE {}
        let begin = Instant::now();
        let mut loan = publisher.loan()?;
        loaning.push(begin.elapsed());
        let begin = Instant::now();
        *loan = Some(begin);
        publisher.publish(loan).map_err(|refused| refused.why)?;
        publishing.push(begin.elapsed());
        while taken.load(Ordering::Acquire) == number {}
    }
    let on_its_way = taking.join().map_err(|_| "the reader's thread failed")?;
    print("one way", on_its_way);
    print("loan", loaning);
    print("publish", publishing);
    Ok(())
}

fn take_all(mut reader: Reader<Option<Instant>>, bell: &Bell, told: &AtomicU32) -> Vec<Duration> {
    let mut on_its_way = Vec::with_capacity(SAMPLES as usize);
    while on_its_way.len() < SAMPLES as usize {
        // Looked at without being changed: it stays where the publisher writes it.
        while bell.word().load(Ordering::Acquire) == 0 {}
        bell.answer();
        if let Ok(Some(sample)) = reader.take() {
            let now = Instant::now();
            on_its_way.extend(sample.map(|begin| now - begin));
        }
        told.store(on_its_way.len() as u32, Ordering::Release);
    }
    on_its_way
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let [p50, p99, p999] =
        [500, 990, 999].map(|of_1000| times[(times.len() - 1) * of_1000 / 1000].as_nanos());
    println!("{what:8} p50 {p50:5} ns  p99 {p99:5} ns  p99.9 {p999:6} ns");
}
