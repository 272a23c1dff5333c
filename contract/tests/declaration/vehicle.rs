//! The `vehicle` section of a robot (SPEC.md, CON-54 to CON-58).

use std::time::Duration;

use tokkyu_contract::check::check;
use tokkyu_contract::units::{Acceleration, Jerk, PerSecond, Speed};
use tokkyu_contract::yaml::vehicle::{Braking, StopProfile, Vehicle};
use tokkyu_contract::yaml::{robot, site};

fn file(section: &str) -> String {
    format!("robot: r\nvehicle: {{{section}}}\nflows:\n  drive: {{class: control}}\n")
}

fn good(section: &str) -> Vehicle {
    robot::parse("robot.yaml", &file(section)).unwrap_or_else(|errors| panic!("{errors}")).vehicle
}

fn bad(section: &str) -> String {
    robot::parse("robot.yaml", &file(section)).unwrap_err().to_string()
}

#[test]
fn what_is_not_given_has_its_default() {
    let usual = robot::parse("robot.yaml", "robot: r\nflows:\n  drive: {class: control}\n").unwrap().vehicle;
    assert_eq!(usual, Vehicle::default());
    assert_eq!(good("top_speed: 50 km/h"), usual);
    assert_eq!((usual.stop.released, usual.stop.lost), (StopProfile::Service, StopProfile::Service));
}

#[test]
fn every_field_is_read() {
    let vehicle = good(
        "top_speed: 5 m/s, full_brake: 3 m/s2, slew: {throttle: 0.5 /s, brake: 4 /s, steering: 1 /s}, \
         stop: {comfort: {deceleration: 0.5 m/s²}, service: {deceleration: 2.5 m/s2, jerk: 2 m/s³}, \
         emergency: {deceleration: 2.5 m/s2, jerk: 20 m/s3}, released: comfort, lost: emergency}",
    );
    assert_eq!((vehicle.top_speed, vehicle.full_brake), (Speed(18_000_000), Acceleration(3_000)));
    let braking = |deceleration, jerk| Braking { deceleration: Acceleration(deceleration), jerk: Jerk(jerk) };
    let stop = vehicle.stop;
    assert_eq!(stop.comfort, braking(500, 1_500));
    assert_eq!(stop.service, braking(2_500, 2_000));
    assert_eq!(
        good("full_brake: 3 m/s2").stop.service,
        braking(3_000, 10_000),
        "no more than the full brake"
    );
    assert_eq!(stop.emergency, braking(2_500, 20_000));
    assert_eq!((stop.released, stop.lost), (StopProfile::Comfort, StopProfile::Emergency));
    let slew = vehicle.slew;
    assert_eq!(
        (slew.throttle, slew.brake, slew.steering),
        (PerSecond(500), PerSecond(4_000), PerSecond(1_000))
    );
}

#[test]
fn what_no_vehicle_can_do_is_an_error_with_its_remedy() {
    let cases = [
        ("top_speed: 0 km/h", "vehicle.top_speed: 0 km/h is not from 0.36 km/h to 400 km/h"),
        ("top_speed: 50", "\"50\" is not a speed: the unit is missing; add km/h or m/s"),
        ("full_brake: 0.05 m/s2", "0.05 m/s2 is not from 0.1 m/s2 to 20 m/s2; choose a value in this range"),
        (
            "full_brake: 3 m/s2, stop: {service: {deceleration: 4 m/s2}}",
            "vehicle.stop.service.deceleration: 4 m/s2 is not from 0.1 m/s2 to 3 m/s2; a stop has the full brake at most",
        ),
        ("stop: {service: {jerk: 2000 m/s3}}", "2000 m/s3 is not from 0.1 m/s3 to 1000 m/s3"),
        (
            "stop: {emergency: {deceleration: 2 m/s2}}",
            "vehicle.stop.emergency: 2 m/s2 is less than another stop's 4 m/s2; an emergency stop brakes hardest",
        ),
        ("stop: {released: hard}", "use comfort, service or emergency"),
        ("stop: {lost: emergencies}", "did you mean \"emergency\"?"),
        ("slew: {throttle: 0 /s}", "0 /s is not from 0.1 /s to 1000 /s"),
        ("slew: {steering: 4 Hz}", "use /s, as in \"4 /s\""),
        ("brakes: good", "unknown field"),
    ];
    for (section, what) in cases {
        let errors = bad(section);
        assert!(errors.contains(what), "{section}: {errors}");
    }
}

/// Small steps in time against what is computed at once.
#[test]
fn a_stop_goes_as_far_and_takes_as_long_as_one_that_is_driven() {
    for (deceleration, jerk, mm_h) in
        [(4_000, 10_000, 50_000_000), (1_500, 1_500, 3_600_000), (8_000, 500, 90_000_000)]
    {
        let braking = Braking { deceleration: Acceleration(deceleration), jerk: Jerk(jerk) };
        let (mut speed, mut metres, mut seconds) = (f64::from(Speed(mm_h).mps()), 0.0, 0.0);
        while speed > 0.0 {
            let lost = f64::min(seconds * jerk as f64, deceleration as f64) / 1e3;
            (speed, metres, seconds) = (speed - lost * 1e-4, metres + speed * 1e-4, seconds + 1e-4);
        }
        let computed = f64::from(braking.distance_m(Speed(mm_h)));
        assert!((computed - metres).abs() < 0.01 * metres, "{computed} m, driven {metres} m");
        let time = braking.time(Speed(mm_h)).as_secs_f64();
        assert!((time - seconds).abs() < 0.01 * seconds, "{time} s, driven {seconds} s");
    }
}

fn with_cameras(degraded: &str) -> String {
    format!(
        "robot: r\nvehicle: {{degraded: {{{degraded}}}}}\nflows:\n  drive: {{class: control, toward: vehicle}}\n  \
         front: {{class: realtime, source: {{test: picture}}}}\n  rear: {{class: realtime, source: {{test: picture}}}}\n"
    )
}

#[test]
fn a_worse_link_means_a_slower_vehicle() {
    let declared =
        |text: &str| robot::parse("robot.yaml", &with_cameras(text)).unwrap().vehicle.degraded.unwrap();
    let usual = declared("speed: 50 km/h, at: 200 ms");
    assert_eq!((usual.reaction, &usual.cameras[..]), (Duration::ZERO, &["front".into(), "rear".into()][..]));
    let at = |ms| usual.speed_at(Duration::from_millis(ms));
    assert_eq!([at(200), at(250), at(1_000)], [50, 40, 10].map(|kmh| Speed(kmh * 1_000_000)));
    assert!(usual.speed_at(Duration::ZERO) > Speed(400_000_000), "nobody needs to slow down");
    assert!((usual.blind_m() - 2.777_8).abs() < 1e-3);
    let named = declared("speed: 5 m/s, at: 0.1 s, reaction: 80 ms, cameras: [front]");
    assert_eq!((named.reaction, named.cameras), (Duration::from_millis(80), vec!["front".to_owned()]));
}

#[test]
fn a_rule_that_says_too_little_or_names_no_camera_is_an_error() {
    let cases = [
        ("speed: 50 km/h", "vehicle.degraded.at: the field is missing; add the latency for that speed"),
        ("at: 200 ms", "vehicle.degraded.speed: the field is missing"),
        ("speed: 50 km/h, at: 1 ms", "vehicle.degraded.at: 1 ms is not from 10 ms to 10 s"),
        ("speed: 50 km/h, at: 1 s, reaction: 1 min", "60 s is not from 0 ns to 10 s"),
        ("speed: 50 km/h, at: 1 s, cameras: []", "vehicle.degraded.cameras: no camera counts; name one"),
        ("speed: 50 km/h, at: 1 s, cameras: [drive]", "cameras[0]: \"drive\" is no flow with a source"),
        ("speed: 50 km/h, at: 1 s, camera: front", "did you mean \"cameras\"?"),
    ];
    for (degraded, what) in cases {
        let errors = robot::parse("robot.yaml", &with_cameras(degraded)).unwrap_err().to_string();
        assert!(errors.contains(what), "{degraded}: {errors}");
    }
}

#[test]
fn the_check_says_how_fast_it_may_be_and_where_no_camera_counts() {
    let site = site::parse("site.yaml", "").unwrap();
    let report = |text: &str| check(&robot::parse("robot.yaml", text).unwrap(), &site);
    let with = report(&with_cameras("speed: 60 km/h, at: 200 ms"));
    let rows: Vec<_> =
        with.speeds.iter().map(|row| (row.latency.as_millis(), row.most.0 / 1_000_000)).collect();
    assert_eq!(rows, [(200, 50), (250, 48), (400, 30), (1_000, 12)], "no more than the top speed");
    assert!(with.to_string().contains("400 ms   30.0 km/h"), "{with}");
    let without = report(&file("degraded: {speed: 60 km/h, at: 200 ms}"));
    assert!(without.to_string().contains("the latency is that of the commands alone"), "{without}");
}

#[test]
fn a_camera_whose_pictures_are_too_old_before_the_next_one_comes_is_warned_of() {
    let site = site::parse("site.yaml", "").unwrap();
    let told = |lifespan: &str| {
        let text = with_cameras("speed: 50 km/h, at: 200 ms, cameras: [front]")
            .replace("front: {", &format!("front: {{rate: 10 Hz, lifespan: {lifespan}, "))
            .replace("rear: {", "rear: {rate: 10 Hz, lifespan: 100 ms, ");
        let report = check(&robot::parse("robot.yaml", &text).unwrap(), &site).to_string();
        report.matches("the vehicle stops between two").count()
    };
    assert_eq!([told("299 ms"), told("300 ms")], [1, 0], "and the rear does not count");
}
