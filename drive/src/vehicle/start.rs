//! Brings the vehicle's program up: keys, cameras, link, records, threads, in the order in which a mistake is cheapest.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use tokkyu_contract::yaml::others::Right;
use tokkyu_contract::yaml::robot::{Flow, Robot};
use tokkyu_contract::{Bytes, Class, MonoTime};
use tokkyu_link::carrier::clock::{self, Suspends};
use tokkyu_link::runtime::{Link, Role};

use super::camera_side::CameraSide;
use super::cameras::{self, Eye};
use super::capture::{self, Lane};
use super::commands::{self, Commands, Post};
use super::control_side::ControlSide;
use super::ends::Ends;
use super::first_tick::FirstTick;
use super::gate_view::GateView;
use super::given::Given;
use super::latch::Latch;
use super::motors::Held;
use super::others::{self, OtherEnd, Share, any_port};
use super::quality::QualityLog;
use super::run::{Course, Inbox, Phase, Vehicle};
use super::watchdog::Watchdog;
use super::{Motors, VehicleOptions, VehicleStatus};
use crate::program::wiring;
use crate::program::{
    ClockPair, Copy, Desk, Display, Distance, DriveError, Fit, GateTeller, Happening, LinkMeter, LinkWatch,
    Mail, Outlet, ReceivedBooks, Recent, RecordsFile, SentBook, Session, StopFlag, Ticks, summary,
};
use crate::safety::{self, Degraded, Gate, Seat, Settings};

/// What the command line and the site say together.
struct Setup {
    cameras: Vec<(Flow, Eye)>,
    command: Option<Flow>,
    link: Link,
    operator: SocketAddr,
}

impl<'a> Vehicle<'a> {
    /// Starts everything but the capture threads, which wait for the first tick.
    pub(super) fn start(
        options: VehicleOptions,
        display: &'a mut dyn Display<VehicleStatus>,
        motors: impl Motors + 'static,
        stop: &StopFlag,
    ) -> Result<Vehicle<'a>, DriveError> {
        let clocks = ClockPair::read();
        let records = RecordsFile::create(options.end.records.as_deref())?;
        let setup = Setup::new(&options, clocks, display, stop)?;
        let ready = options.end.ready("vehicle", &setup.link, clocks);
        let session = Session::default();
        let (camera_mail, camera_reports, camera_unread) = Mail::open();
        let (command_mail, command_reports, command_unread) = Mail::open();
        let Others { ends, posts, copies } = Others::start(&options, &setup)?;
        let ends = Ends::new(ends, options.end.site.link.may, copies.len());
        let (cameras, mut lanes) =
            camera_sides(&setup.link, setup.cameras, &session, options.end.site.link.longest_sample())?;
        for (lane, copies) in lanes.iter_mut().zip(copies) {
            lane.share(&ends.first_is_open, copies);
        }
        let take_commands =
            |flow: &Flow| control_side(&setup.link, flow, &options, motors, (&session, posts), command_mail);
        let control = setup.command.as_ref().map(take_commands).transpose()?;
        let unread = [camera_unread, command_unread];
        Ok(Vehicle {
            environment: summary::environment(clocks),
            peer: setup.operator.to_string(),
            phase: Phase::Waiting(FirstTick::new(options.end.start_at)),
            meter: LinkMeter::default(),
            watch: LinkWatch::default(),
            course: Course::default(),
            inbox: Inbox { cameras: camera_reports, commands: command_reports, unread },
            received: ReceivedBooks::new(control.iter().map(|control| control.flow.as_str())),
            orders: orders(&options, camera_mail),
            desk: Desk::open(display, records, ready),
            threads: Vec::new(),
            stop: stop.clone(),
            link: setup.link,
            ends,
            options,
            clocks,
            session,
            cameras,
            lanes,
            control,
        })
    }
}

/// The ends but the first, and what the rest of the program needs of them.
struct Others {
    ends: Vec<OtherEnd>,
    /// Where their commands come from.
    posts: Vec<Post>,
    /// For each camera their copies of its pictures.
    copies: Vec<Vec<Copy>>,
}

impl Others {
    fn start(options: &VehicleOptions, setup: &Setup) -> Result<Others, DriveError> {
        let flows: Vec<Flow> = setup.cameras.iter().map(|(flow, _)| flow.clone()).collect();
        let copies = flows.iter().map(|_| Vec::new()).collect();
        let mut others = Others { ends: Vec::new(), posts: Vec::new(), copies };
        others::keep_apart(&options.end, setup.operator)?;
        for other in &options.end.site.link.others {
            let (end, share) = OtherEnd::start(&options.end, other, &flows, setup.command.as_ref())?;
            let Share { copies, post } = share;
            others.copies.iter_mut().zip(copies).for_each(|(camera, copy)| camera.push(copy));
            others.posts.extend(post);
            others.ends.push(end);
        }
        Ok(others)
    }
}

fn orders(options: &VehicleOptions, mail: Mail<capture::Report>) -> capture::Orders {
    capture::Orders {
        samples: options.end.samples,
        // Known with the first tick.
        until: None,
        fifo_priority: options.end.fifo(Class::Realtime),
        mail,
        stop: StopFlag::new(),
    }
}

impl Setup {
    fn new(
        options: &VehicleOptions,
        clocks: ClockPair,
        display: &mut dyn Display<VehicleStatus>,
        stop: &StopFlag,
    ) -> Result<Setup, DriveError> {
        let (robot, site) = (&options.end.robot, &options.end.site);
        let command = wiring::command_flow(robot)?.cloned();
        if command.is_none() && wiring::camera_flows(robot).next().is_none() {
            return Err(options.end.nothing_to_do());
        }
        let operator = options.operator.or(site.link.operator).ok_or(DriveError::NoOperator)?;
        let mut say = |line: &str| {
            let now = clock::now();
            display.on_event(now, &Happening::new(now, line));
        };
        let film = options.video.as_ref().map(|video| cameras::film(video, stop, &mut say)).transpose()?;
        let count = wiring::camera_flows(robot).count();
        let mut open = |(number, flow): (usize, &Flow)| {
            let film = film.as_ref().map(|film| (film, film.start_of(number, count)));
            Ok((flow.clone(), cameras::open(flow, film, clocks.times(), &mut say)?))
        };
        let cameras =
            wiring::camera_flows(robot).enumerate().map(&mut open).collect::<Result<_, DriveError>>()?;
        let bind = options.bind.unwrap_or(any_port(operator));
        let link = options.end.start_link(Role::Vehicle { operator }, bind)?;
        Ok(Setup { cameras, command, link, operator })
    }
}

fn limits(flow: &Flow) -> safety::Limits {
    let usual = safety::Limits::default();
    safety::Limits {
        lifespan: flow.qos.lifespan.unwrap_or(usual.lifespan),
        deadline: flow.qos.deadline.unwrap_or(usual.deadline),
    }
}

/// The rule for the speed of `robot`, whose commands are `flow`.
fn degraded(robot: &Robot, flow: &Flow) -> Option<Degraded> {
    let counts = wiring::cameras_that_count(robot);
    // An age that is never too old is bounded by what can be told of one.
    let lifespans = counts.iter().map(|(_, camera)| camera.qos.lifespan.unwrap_or(Duration::MAX));
    Degraded::of(&robot.vehicle, wiring::period(flow), lifespans.max())
}

fn camera_sides(
    link: &Link,
    cameras: Vec<(Flow, Eye)>,
    session: &Session,
    longest: Bytes,
) -> Result<(Vec<CameraSide>, Vec<Lane>), DriveError> {
    let (mut sides, mut lanes) = (Vec::new(), Vec::new());
    for (stream, (flow, eye)) in cameras.into_iter().enumerate() {
        let bytes = flow.size.map_or(0, |size| usize::try_from(size.0).unwrap_or(usize::MAX));
        let publisher = link.publish(wiring::publication(&flow, bytes))?;
        let granted_bps = Arc::new(AtomicU64::new(0));
        sides.push(CameraSide {
            book: SentBook::new(&flow.name, &flow.qos),
            granted_bps: Arc::clone(&granted_bps),
            lifespan: flow.qos.lifespan,
            quality: QualityLog::default(),
            sample_bytes: 0,
            trouble: None,
            ended: false,
            fit: Fit::new(&flow.name, wiring::period(&flow), matches!(eye, Eye::Compressing { .. })),
            distance: Distance::new(&flow.name, flow.qos.lifespan),
        });
        lanes.push(Lane {
            eye,
            outlet: Outlet::new(stream, publisher, session.clone(), longest),
            // The first tick is set when it is known.
            ticks: Ticks::new(MonoTime::ZERO, wiring::period(&flow)),
            name: flow.name,
            granted_bps,
        });
    }
    Ok((sides, lanes))
}

fn control_side(
    link: &Link,
    flow: &Flow,
    options: &VehicleOptions,
    mut motors: impl Motors + 'static,
    (session, others): (&Session, Vec<Post>),
    mail: Mail<commands::Report>,
) -> Result<ControlSide, DriveError> {
    let limits = limits(flow);
    let rule = degraded(&options.end.robot, flow).map(|rule| rule.of_speed(motors.throttle_is_speed()));
    let settings = Settings::of(limits, &options.end.robot.vehicle, rule);
    let latch = Latch::new(options.state.as_deref(), &options.end.robot.name);
    let (halt, unwatched, notice) = (StopFlag::new(), StopFlag::new(), motors.notice());
    let onlooker = motors.onlooker();
    let gate = if latch.is_set() { Gate::stopped(settings) } else { Gate::new(settings) };
    let blind = Arc::new(AtomicBool::new(false));
    let first = Post::new(link.subscribe(wiring::subscription(flow))?, session.clone(), Arc::clone(&blind));
    let link_site = &options.end.site.link;
    let rights: Vec<Right> =
        [link_site.may].into_iter().chain(link_site.others.iter().map(|other| other.may)).collect();
    let seat = Seat::new(clock::now(), &rights, limits);
    let given = Arc::new(Given::new(clock::now(), gate.state()));
    let mut suspends = Suspends::new();
    let (brake, fifo_priority) = (motors.second_brake(), options.end.fifo(Class::Control));
    let has_second_brake = brake.is_some();
    let watchdog = Watchdog::new(Arc::clone(&given), limits.deadline, brake);
    let commands = Commands {
        posts: [first].into_iter().chain(others).collect(),
        motors: Held::of(motors),
        given: Arc::clone(&given),
        deadline: limits.deadline,
        suspended: Box::new(move || suspends.look()),
        same_clock: options.end.same_clock,
        fifo_priority,
        mail: mail.clone(),
        stop: halt.clone(),
    };
    Ok(ControlSide {
        flow: flow.name.clone(),
        notice,
        onlooker,
        gate: GateView::of(&gate, &seat, MonoTime::ZERO),
        latch,
        ages: Recent::default(),
        teller: GateTeller::open(link)?,
        payload_bytes: 0,
        given,
        has_second_brake,
        is_silent: false,
        thread: Some(commands.start(gate, seat)?),
        watchdog: Some(watchdog.start(fifo_priority, mail, unwatched.clone())?),
        unwatched,
        blind,
        left: None,
        halt,
    })
}
