//! The threads that take pictures and publish them.
//!
//! Run at the real-time priority of their flow's class and never wait for anything but time and their camera. A picture
//! that is made carries the tick it was due at as its capture stamp, not the moment its thread woke (DRV-73), so a thread
//! that is late makes its pictures old and not the figures good. One that came from a device or a film carries the moment
//! at which that gave it.
//!
//! Cameras that can give a picture at any time are fired together by one thread on one tick, their samples made before
//! it: all bytes fall due at once, which is the hardest moment for the link.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use super::cameras::Eye;
use crate::camera::{Camera, CameraError, JpegCamera, Shot};
use crate::program::wiring::make_real_time;
use crate::program::{
    Alarm, Copy, DriveError, Mail, Offered, Outlet, RealTimeGrant, StopFlag, Ticks, offer_together,
};

/// What the threads tell the main thread.
#[derive(Debug)]
pub(super) enum Report {
    /// A picture was offered; with the JPEG quality it was compressed at.
    Offered(Offered, Option<u8>),
    /// A camera has no picture, and why; `None` when it has one again.
    Trouble { stream: usize, why: Option<String> },
    /// Ticks left out because the thread was far behind.
    LeftOut { ticks: u32 },
    /// What the scheduler granted.
    RealTime(Vec<RealTimeGrant>),
    /// A camera took its last picture.
    Ended { stream: usize },
}

/// What all capture threads are told.
#[derive(Clone)]
pub(super) struct Orders {
    pub(super) samples: Option<u32>,
    pub(super) until: Option<MonoTime>,
    pub(super) fifo_priority: Option<u8>,
    pub(super) mail: Mail<Report>,
    pub(super) stop: StopFlag,
}

/// One camera with its way out.
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) eye: Eye,
    pub(super) outlet: Outlet,
    pub(super) ticks: Ticks,
    /// Bit/s the link grants; 0 before it granted anything.
    pub(super) granted_bps: Arc<AtomicU64>,
}

impl Lane {
    /// The first end gets pictures while `first_is_open` says so; `copies` are for the others.
    pub(super) fn share(&mut self, first_is_open: &Arc<AtomicBool>, copies: Vec<Copy>) {
        self.outlet.share(Arc::clone(first_is_open), copies);
    }
}

/// Starts the threads of all `lanes`.
pub(super) fn start(lanes: Vec<Lane>, orders: &Orders) -> Result<Vec<JoinHandle<()>>, DriveError> {
    let (mut fired, mut threads) = (Vec::new(), Vec::new());
    for lane in lanes {
        let Lane { name, eye, outlet, ticks, granted_bps } = lane;
        let post = Post { outlet, ticks, orders: orders.clone(), trouble: None };
        match eye {
            Eye::Ticked(camera) => fired.push(Fired { camera, post }),
            Eye::Waiting(camera) => {
                threads.push(spawn(&name, move || Watcher { camera, post }.run(|_| None))?);
            }
            Eye::Compressing { camera, most_bps } => {
                let quality = move |camera: &mut _| Some(follow(camera, &granted_bps, most_bps));
                threads.push(spawn(&name, move || Watcher { camera, post }.run(quality))?);
            }
        }
    }
    if !fired.is_empty() {
        threads.push(spawn("ticker", move || fire_all(fired))?);
    }
    Ok(threads)
}

/// Brings the camera to what is granted, at most `most_bps`, and gives the quality of its next picture.
fn follow<C: Camera>(camera: &mut JpegCamera<C>, granted_bps: &AtomicU64, most_bps: u64) -> u8 {
    let granted = granted_bps.load(Ordering::Relaxed);
    if granted > 0 {
        camera.rate_mut().set_granted(granted.min(most_bps));
    }
    camera.rate_mut().quality()
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, DriveError> {
    // The kernel keeps 15 letters of a thread's name.
    thread::Builder::new().name(format!("cam-{name}")).spawn(run).map_err(DriveError::Thread)
}

/// Where a camera's pictures go, and when.
struct Post {
    outlet: Outlet,
    ticks: Ticks,
    orders: Orders,
    trouble: Option<String>,
}

impl Post {
    /// The next tick, `None` after the last.
    fn due(&self) -> Option<MonoTime> {
        let due = self.ticks.due();
        let enough = self.orders.samples.is_some_and(|samples| self.outlet.number() >= samples);
        let over = self.orders.until.is_some_and(|until| due >= until);
        (!enough && !over && !self.orders.stop.is_set()).then_some(due)
    }

    /// The next sample of `camera`, numbered in the run.
    fn sample(&mut self, camera: &mut impl Camera, due: MonoTime) -> Option<Shot> {
        match camera.next_sample(due, self.outlet.number()) {
            Ok(sample) => {
                self.note_trouble(None);
                Some(sample)
            }
            // The source is slower than the flow's rate: no picture for this tick, and nothing wrong.
            Err(CameraError::NotYet) => None,
            Err(why) => {
                self.note_trouble(Some(why.to_string()));
                None
            }
        }
    }

    /// Tells when the camera's trouble begins or ends, not again each tick.
    fn note_trouble(&mut self, why: Option<String>) {
        if self.trouble.is_some() != why.is_some() {
            self.orders.mail.post(Report::Trouble { stream: self.outlet.stream, why: why.clone() });
        }
        self.trouble = why;
    }

    fn offer(&mut self, captured: MonoTime, sample: Bytes, quality: Option<u8>) {
        let offered = self.outlet.offer(captured, sample);
        self.orders.mail.post(Report::Offered(offered, quality));
    }

    fn advance(&mut self) {
        let ticks = self.ticks.advance(clock::now());
        if ticks > 0 {
            self.orders.mail.post(Report::LeftOut { ticks });
        }
    }

    fn end(&self) {
        self.orders.mail.post(Report::Ended { stream: self.outlet.stream });
    }

    fn make_real_time(&self, thread: &str) {
        self.orders.mail.post(Report::RealTime(make_real_time(thread, self.orders.fifo_priority)));
    }
}

/// A camera with a thread of its own.
struct Watcher<C> {
    camera: C,
    post: Post,
}

impl<C: Camera> Watcher<C> {
    /// Takes a picture at each tick; `quality` is asked before each.
    fn run(mut self, mut quality: impl FnMut(&mut C) -> Option<u8>) {
        self.post.make_real_time("camera");
        let mut alarm = Alarm::new();
        while let Some(due) = self.post.due() {
            if !alarm.sleep_until(due, &self.post.orders.stop) {
                break;
            }
            let quality = quality(&mut self.camera);
            if let Some(Shot { sample, given }) = self.post.sample(&mut self.camera, due) {
                self.post.offer(given.unwrap_or(due), sample, quality);
            }
            self.post.advance();
        }
        self.post.end();
    }
}

/// A camera fired with others.
struct Fired {
    camera: Box<dyn Camera>,
    post: Post,
}

/// Fires all cameras at their ticks; those that are due together, together.
fn fire_all(mut cameras: Vec<Fired>) {
    if let Some(first) = cameras.first() {
        first.post.make_real_time("cameras");
    }
    let mut alarm = Alarm::new();
    while !cameras.is_empty() {
        let Some(due) = cameras.iter().filter_map(|fired| fired.post.due()).min() else { break };
        let samples: Vec<Option<Bytes>> = cameras.iter_mut().map(|fired| fired.prepare(due)).collect();
        if !alarm.sleep_until(due, &cameras[0].post.orders.stop) {
            break;
        }
        offer_all(due, &mut cameras, samples);
        let on_this_tick = cameras.iter_mut().filter(|fired| fired.post.ticks.due() == due);
        on_this_tick.for_each(|fired| fired.post.advance());
        cameras.retain(Fired::goes_on);
    }
    cameras.iter().for_each(|fired| fired.post.end());
}

/// Hands the samples of one tick over together: the link rotates who goes first, the order here must not matter.
fn offer_all(due: MonoTime, cameras: &mut [Fired], samples: Vec<Option<Bytes>>) {
    let Some(mail) = cameras.first().map(|fired| fired.post.orders.mail.clone()) else { return };
    let with_sample = cameras.iter_mut().zip(samples);
    let pairs = with_sample.filter_map(|(fired, sample)| Some((&mut fired.post.outlet, sample?)));
    for offered in offer_together(due, pairs.collect()) {
        mail.post(Report::Offered(offered, None));
    }
}

impl Fired {
    /// Whether there is another tick; says so when there is none.
    fn goes_on(&self) -> bool {
        let goes_on = self.post.due().is_some();
        if !goes_on {
            self.post.end();
        }
        goes_on
    }

    /// The sample for tick `due`, if it is this camera's.
    fn prepare(&mut self, due: MonoTime) -> Option<Bytes> {
        if self.post.due() != Some(due) {
            return None;
        }
        // Made for this tick, as all that are fired together.
        self.post.sample(&mut self.camera, due).map(|shot| shot.sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Dummy, Frame, JpegRate, TestPicture};
    use crate::program::{Session, wiring};
    use std::sync::mpsc::Receiver;
    use std::time::Duration;
    use tokkyu_contract::WallTime;
    use tokkyu_contract::yaml::robot;
    use tokkyu_link::carrier::{SecretKey, TrustStore};
    use tokkyu_link::runtime::{Link, LinkConfig, Role};

    /// A link nobody has dialled.
    fn link() -> Link {
        let (secret, local) = (SecretKey::generate().unwrap(), "127.0.0.1:0".parse().unwrap());
        Link::start(LinkConfig::new(Role::Operator, local, secret, TrustStore::default())).unwrap()
    }

    fn lane(link: &Link, stream: usize, eye: Eye, first: MonoTime, period: Duration) -> Lane {
        let robot = robot::parse("r", "robot: r\nflows:\n  camera: {class: realtime}\n").unwrap();
        let publisher = link.publish(wiring::publication(&robot.flows[0], 0)).unwrap();
        Lane {
            name: format!("camera/{stream}"),
            eye,
            outlet: Outlet::new(stream, publisher, Session::default(), tokkyu_contract::Bytes(1_000_000)),
            ticks: Ticks::new(first, period),
            granted_bps: Arc::default(),
        }
    }

    fn orders(samples: u32) -> (Orders, Receiver<Report>) {
        let (mail, reports, _) = Mail::open();
        let stop = StopFlag::new();
        (Orders { samples: Some(samples), until: None, fifo_priority: None, mail, stop }, reports)
    }

    fn dummy() -> Box<dyn Camera> {
        Box::new(Dummy::new(1_000).unwrap())
    }

    /// Gives three pictures, is gone for four questions, and comes back.
    struct Loose(Box<dyn Camera>, u32);

    impl Camera for Loose {
        fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
            self.1 += 1;
            match self.1 {
                4..8 => Err(CameraError::Vanished { input: "/dev/video7".into(), said: "pulled".into() }),
                _ => self.0.next(due),
            }
        }
    }

    #[test]
    fn a_camera_that_vanishes_is_told_once_and_holds_up_no_other() {
        let (link, first, period) = (link(), clock::now(), Duration::from_millis(5));
        let (orders, reports) = orders(10);
        let lanes = vec![
            lane(&link, 0, Eye::Waiting(Box::new(Loose(dummy(), 0))), first, period),
            lane(&link, 1, Eye::Ticked(dummy()), first, period),
        ];
        start(lanes, &orders).unwrap().into_iter().for_each(|thread| thread.join().unwrap());
        drop(orders);
        let (mut troubles, mut captures) = (Vec::new(), [Vec::new(), Vec::new()]);
        for report in reports {
            match report {
                Report::Trouble { stream, why } => troubles.push((stream, why)),
                Report::Offered(offered, _) => {
                    captures[offered.stream].push((offered.number, offered.capture))
                }
                _ => {}
            }
        }
        let gone = Some("/dev/video7: the camera vanished: pulled".to_owned());
        assert_eq!(troubles, [(0, gone), (0, None)]);
        let at = |tick: u32| first + period * tick;
        let undisturbed: Vec<_> = (0..10).map(|tick| (tick, at(tick))).collect();
        assert_eq!(captures[1], undisturbed);
        let with_a_hole: Vec<_> = (0..3).chain(7..14).map(at).zip(0..).map(|(at, n)| (n, at)).collect();
        assert_eq!(captures[0], with_a_hole, "numbers follow what was offered, stamps the ticks");
    }

    /// Gives what it had ready 7 ms before it was asked.
    struct Ready(Box<dyn Camera>);

    impl Camera for Ready {
        fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
            let given = Some(due.saturating_sub(Duration::from_millis(7)));
            Ok(Frame { given, ..self.0.next(due)? })
        }
    }

    #[test]
    fn a_picture_that_waited_for_its_tick_is_as_old_as_it_is() {
        let (link, first, period) = (link(), clock::now(), Duration::from_millis(10));
        let (orders, reports) = orders(3);
        let eye = Eye::Waiting(Box::new(Ready(dummy())));
        let threads = start(vec![lane(&link, 0, eye, first, period)], &orders).unwrap();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        drop(orders);
        let captures = reports.into_iter().filter_map(|report| match report {
            Report::Offered(offered, _) => Some(offered.capture + Duration::from_millis(7)),
            _ => None,
        });
        assert_eq!(captures.collect::<Vec<_>>(), [first, first + period, first + 2 * period]);
    }

    #[test]
    fn cameras_of_different_rates_each_keep_their_own_ticks() {
        let (link, first) = (link(), clock::now());
        let (orders, reports) = orders(6);
        let lanes = [5, 15]
            .into_iter()
            .enumerate()
            .map(|(stream, ms)| lane(&link, stream, Eye::Ticked(dummy()), first, Duration::from_millis(ms)));
        start(lanes.collect(), &orders).unwrap().into_iter().for_each(|thread| thread.join().unwrap());
        drop(orders);
        let offered = reports.into_iter().filter_map(|report| match report {
            Report::Offered(offered, _) => Some((offered.capture.since(first).as_millis(), offered.stream)),
            _ => None,
        });
        let mut expected: Vec<_> =
            (0..6).map(|tick| (tick * 5, 0)).chain((0..6).map(|tick| (tick * 15, 1))).collect();
        expected.sort_unstable();
        assert_eq!(offered.collect::<Vec<_>>(), expected, "in order of time, together where they meet");
    }

    #[test]
    fn quality_follows_the_grant_and_never_exceeds_the_declared_size() {
        let picture = TestPicture::new("front", 680, 550, (MonoTime::ZERO, WallTime::ZERO)).unwrap();
        let mut camera = JpegCamera::new(picture, JpegRate::new(10.0, 4_000_000));
        let granted = AtomicU64::new(0);
        let mut after = |granted: &AtomicU64, most_bps| {
            (0..40).for_each(|_| {
                follow(&mut camera, granted, most_bps);
                camera.next(MonoTime::ZERO).unwrap();
            });
            follow(&mut camera, granted, most_bps)
        };
        let ungranted = after(&granted, u64::MAX);
        granted.store(1_000_000, Ordering::Relaxed);
        let little = after(&granted, u64::MAX);
        assert!(little < ungranted, "{ungranted} → {little}");
        granted.store(100_000_000, Ordering::Relaxed);
        assert!(after(&granted, u64::MAX) > little);
        assert_eq!(
            after(&granted, 1_000_000).abs_diff(little),
            0,
            "the declared size holds whatever is granted"
        );
    }
}
