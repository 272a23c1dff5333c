//! Brings the operator's program up: keys, driver, link, records, threads, in the order in which a mistake is cheapest.

use std::sync::Arc;
use std::thread::JoinHandle;

use tokkyu_contract::yaml::robot::Flow;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::runtime::{Link, Role};
use tokkyu_measure::Figures;

use super::driver::{self, Hands, Wheel};
use super::estop::StopWatch;
use super::pictures::{self, Pictures};
use super::run::{CameraSide, Course, DriverSide, Inbox, Operator, Phase};
use super::sight::Sight;
use super::status::CaptureClock;
use super::wishes::{HandsKind, SharedWishes};
use super::{OperatorOptions, OperatorStatus};
use crate::control::COMMAND_BYTES;
use crate::program::wiring;
use crate::program::{
    ClockPair, Desk, Display, Distance, DriveError, GateEar, LinkMeter, LinkWatch, Mail, Outlet,
    ReceivedBooks, Recent, RecordsFile, SentBook, Session, StopFlag, Ticks, summary,
};
use crate::save::Saver;

impl<'a> Operator<'a> {
    /// Starts everything but the driver's thread, which waits for its first tick.
    pub(super) fn start(
        options: OperatorOptions,
        display: &'a mut dyn Display<OperatorStatus>,
        stop: &StopFlag,
    ) -> Result<Operator<'a>, DriveError> {
        let clocks = ClockPair::read();
        let flows: Vec<Flow> = wiring::camera_flows(&options.end.robot).cloned().collect();
        let command = wiring::command_flow(&options.end.robot)?.cloned();
        if flows.is_empty() && command.is_none() {
            return Err(options.end.nothing_to_do());
        }
        let hands = match &command {
            Some(_) => Hands::open(options.control.as_ref(), display.keyboard())?,
            None => None,
        };
        let records = RecordsFile::create(options.end.records.as_deref())?;
        let bind = options.listen.unwrap_or(options.end.site.link.listen);
        let link = options.end.start_link(Role::Operator, bind)?;
        let saver = options.save.as_deref().map(Saver::create).transpose()?.map(Arc::new);
        let ready = options.end.ready("operator", &link, clocks);
        let session = Session::default();
        let (picture_mail, picture_reports, picture_unread) = Mail::open();
        let (driver_mail, driver_reports, driver_unread) = Mail::open();
        let halt = StopFlag::new();
        let sight = Arc::new(Sight::of(&options.end.robot));
        let threads = receive(&link, &flows, &options, (saver.as_ref(), &sight), &picture_mail, &halt)?;
        // After the cameras, whose subscriptions count from 0.
        let gate = command.is_some().then(|| GateEar::open(&link)).transpose()?;
        let keyboard = hands.as_ref().and_then(|hands| hands.keyboard.clone());
        let wishes = SharedWishes::new(options.seat, hands.as_ref().map_or(HandsKind::None, Hands::kind));
        let take_wheel = |(flow, hands)| {
            driver_side(&link, &flow, hands, &options, (&session, &sight, &wishes), driver_mail, &halt)
        };
        let driver = command.zip(hands).map(take_wheel).transpose()?;
        let unread = [picture_unread, driver_unread];
        let capture_clock = CaptureClock { is_shared: options.end.same_clock, ..CaptureClock::default() };
        Ok(Operator {
            desk: Desk::open(display, records, ready),
            environment: summary::environment(clocks),
            received: ReceivedBooks::new(flows.iter().map(|flow| flow.name.as_str())),
            cameras: flows.iter().map(CameraSide::of).collect(),
            phase: Phase::Listening,
            meter: LinkMeter::default(),
            watch: LinkWatch::default(),
            course: Course { capture_clock, ..Course::default() },
            inbox: Inbox { pictures: picture_reports, driver: driver_reports, unread },
            stop: stop.clone(),
            options,
            clocks,
            link,
            saver,
            session,
            driver,
            keyboard,
            estop: StopWatch::default(),
            gate,
            wishes,
            threads,
            halt,
        })
    }
}

fn driver_side(
    link: &Link,
    flow: &Flow,
    hands: Hands,
    options: &OperatorOptions,
    (session, sight, wishes): (&Session, &Arc<Sight>, &SharedWishes),
    mail: Mail<driver::Report>,
    halt: &StopFlag,
) -> Result<DriverSide, DriveError> {
    let publisher = link.publish(wiring::publication(flow, COMMAND_BYTES))?;
    let longest = options.end.site.link.longest_sample();
    let wheel = Wheel {
        source: hands.source,
        outlet: Outlet::new(0, publisher, session.clone(), longest),
        // The first tick is set when it is known.
        ticks: Ticks::new(MonoTime::ZERO, wiring::period(flow)),
        session: session.clone(),
        sight: Arc::clone(sight),
        wishes: wishes.clone(),
        until: None,
        fifo_priority: options.end.fifo(Class::Control),
        mail,
        stop: halt.clone(),
    };
    Ok(DriverSide {
        book: SentBook::new(&flow.name, &flow.qos),
        wheel: Some(wheel),
        controls: None,
        trouble: None,
        distance: Distance::new(&flow.name, flow.qos.lifespan),
    })
}

fn receive(
    link: &Link,
    flows: &[Flow],
    options: &OperatorOptions,
    (saver, sight): (Option<&Arc<Saver>>, &Arc<Sight>),
    mail: &Mail<pictures::Report>,
    halt: &StopFlag,
) -> Result<Vec<JoinHandle<()>>, DriveError> {
    let start = |(stream, flow): (usize, &Flow)| {
        let pictures = Pictures {
            stream,
            name: flow.name.as_str().into(),
            subscriber: link.subscribe(wiring::subscription(flow))?,
            saver: saver.cloned(),
            sight: Arc::clone(sight),
            same_clock: options.end.same_clock,
            fifo_priority: options.end.fifo(Class::Realtime),
            mail: mail.clone(),
            stop: halt.clone(),
        };
        pictures.start()
    };
    flows.iter().enumerate().map(start).collect()
}

impl CameraSide {
    fn of(flow: &Flow) -> CameraSide {
        CameraSide {
            flow: flow.name.clone(),
            period: wiring::period(flow),
            lifespan: flow.qos.lifespan,
            recent: Recent::default(),
            ages: Figures::new(),
            size_bytes: 0,
            payload_bytes: 0,
            corrupt: 0,
        }
    }
}
