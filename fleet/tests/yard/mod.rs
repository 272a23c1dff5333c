//! A router in a process of its own, vehicles and operators in threads, keys and certificates in a folder that goes away.
//!
//! The router is this test program once more, told by its environment: it can be killed as a process is. Every wait has a
//! patience, after which the test fails; none passes by waiting longer.

#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;
use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::fleet::{FleetAccess, FleetSite, FleetTls, RouterAddress};
use tokkyu_contract::yaml::{Robot, Site, robot};
use tokkyu_drive::operator::{OperatorOptions, OperatorStatus, OperatorSummary};
use tokkyu_drive::program::{Display, Driver, EndOptions, Happening, Ready, StopFlag};
use tokkyu_drive::vehicle::{NoMotors, VehicleOptions};
use tokkyu_fleet::FleetError;
use tokkyu_fleet::open::{self, OpenOptions};
use tokkyu_fleet::router::{self, RouterOptions};
use tokkyu_fleet::serve;
use tokkyu_fleet::watch::Watch;
use tokkyu_link::carrier::SecretKey;
use tokkyu_link::runtime::Fault;
use tokkyu_link::runtime::site::Overrides;

/// Long enough for a busy machine; only a failure takes it.
pub const PATIENCE: Duration = Duration::from_secs(60);

const ROUTER: &str = "TOKKYU_TEST_ROUTER";
const FLOWS: &str = "flows:
  camera/front: {rate: 20 Hz, size: 20 kB, class: realtime, depth: 1, lifespan: 400 ms, source: {dummy: 20 kB}}
  drive/command: {rate: 50 Hz, class: control, depth: 1, lifespan: 150 ms, deadline: 100 ms, toward: vehicle}
";

/// Call first in a test called `router_process`: in the router's process it does not return.
pub fn become_router_if_told() {
    let Ok(told) = std::env::var(ROUTER) else { return };
    let mut lines = told.lines();
    let listen: RouterAddress = lines.next().expect("an address").parse().expect("an address");
    let site = lines
        .next()
        .filter(|path| !path.is_empty())
        .map(|path| tokkyu_contract::yaml::site::load(Path::new(path)).expect("a good site").fleet);
    let options = RouterOptions { listen: vec![listen], connect: Vec::new(), site: site.unwrap_or_default() };
    router::run(&options, || println!("\nrouter ready"), &StopFlag::new()).expect("the router runs");
}

/// A router's process, killed when dropped.
pub struct Router(Child);

impl Router {
    pub fn start(address: &RouterAddress, site: Option<&Path>) -> Router {
        let site = site.map(|path| path.display().to_string()).unwrap_or_default();
        let mut child = Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "router_process", "--nocapture", "--test-threads=1"])
            .env(ROUTER, format!("{address}\n{site}"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the router starts");
        let output = child.stdout.take().expect("piped");
        let mut router = Router(child);
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        if !lines.any(|line| line == "router ready") {
            panic!("the router ended: {:?}", router.0.wait());
        }
        router
    }

    /// SIGKILL, and gone when this returns.
    pub fn kill(mut self) {
        self.0.kill().expect("ours");
        self.0.wait().expect("ours");
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Keys, certificates and addresses of one test.
pub struct Yard {
    dir: TempDir,
    pub address: RouterAddress,
    authority: Option<(KeyPair, CertificateParams)>,
}

impl Yard {
    pub fn plain() -> Yard {
        Yard { dir: tempfile::tempdir().unwrap(), address: address("tcp"), authority: None }
    }

    /// With certificates, of which the router's is made.
    pub fn certified() -> Yard {
        let dir = tempfile::tempdir().unwrap();
        let (key, params) = authority(&dir.path().join("ca.pem"));
        let yard = Yard { dir, address: address("tls"), authority: Some((key, params)) };
        yard.certify("router");
        yard
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A certificate with this common name, by this yard's authority.
    pub fn certify(&self, name: &str) {
        let (key, params) = self.authority.as_ref().expect("certified");
        let issuer = Issuer::from_params(params, key);
        certificate(&self.dir.path().join(name), name, &issuer);
    }

    pub fn tls(&self, name: &str) -> FleetTls {
        FleetTls {
            ca: self.path("ca.pem"),
            certificate: self.path(&format!("{name}.pem")),
            key: self.path(&format!("{name}.key")),
        }
    }

    pub fn fleet(&self, name: &str) -> FleetSite {
        let tls = self.authority.as_ref().map(|_| self.tls(name));
        FleetSite { routers: vec![self.address.clone()], tls, access: None }
    }

    pub fn router(&self, access: Option<FleetAccess>) -> Router {
        let Some(_) = &self.authority else { return Router::start(&self.address, None) };
        let site = self.path("router.yaml");
        let access = access.map_or(String::new(), |access| {
            format!("  access: {{vehicles: {:?}, operators: {:?}}}\n", access.vehicles, access.operators)
        });
        let tls = "  tls: {ca: ca.pem, certificate: router.pem, key: router.key}\n";
        fs::write(&site, format!("fleet:\n{tls}{access}")).unwrap();
        Router::start(&self.address, Some(&site))
    }

    fn key(&self, name: &str) -> PathBuf {
        let path = self.path(&format!("link-{name}"));
        if !path.exists() {
            SecretKey::create(&path, name).unwrap();
        }
        path
    }

    fn end(&self, name: &str, robot: &str, trusted: &[&str]) -> EndOptions {
        trusted.iter().for_each(|name| drop(self.key(name)));
        EndOptions {
            robot: declare(robot),
            site: Site { fleet: self.fleet(name), ..Site::default() },
            link: Overrides {
                identity: Some(self.key(name)),
                trust: trusted.iter().map(|name| self.path(&format!("link-{name}.pub"))).collect(),
                priority: Some(0),
                ..Overrides::default()
            },
            same_clock: true,
            ..EndOptions::default()
        }
    }

    /// A vehicle that trusts these operators.
    pub fn serve(&self, name: &str, trusted: &[&str]) -> Vehicle {
        self.serve_and(name, trusted, |_| {})
    }

    /// Such a vehicle; `also` hears what it tells.
    pub fn serve_and(
        &self,
        name: &str,
        trusted: &[&str],
        mut also: impl FnMut(&str) + Send + 'static,
    ) -> Vehicle {
        let end = self.end(name, name, trusted);
        let fault = end.link.fault.clone();
        let options = VehicleOptions { end, ..VehicleOptions::default() };
        let (stop, told) = (StopFlag::new(), Arc::new(Mutex::new(Vec::new())));
        let (for_thread, ear) = (stop.clone(), Arc::clone(&told));
        let thread = thread::spawn(move || {
            let mut tell = |words: &str| {
                ear.lock().unwrap().push(words.to_owned());
                also(words);
            };
            serve::run(options, || NoMotors, &mut tell, &for_thread)
        });
        Vehicle { stop, told, fault, thread: Some(thread) }
    }

    /// An operator who trusts `robot` and opens it.
    pub fn open(&self, name: &str, robot: &str) -> Operator {
        self.open_with(name, robot, &StopFlag::new(), || {})
    }

    /// Such an operator, whom `stop` ends; `on_ready` runs once it listens.
    pub fn open_with(
        &self,
        name: &str,
        robot: &str,
        stop: &StopFlag,
        on_ready: impl Fn() + Send + 'static,
    ) -> Operator {
        let operator = OperatorOptions {
            end: self.end(name, robot, &[robot]),
            listen: Some("127.0.0.1:0".parse().unwrap()),
            control: Some(Driver::Pattern),
            ..OperatorOptions::default()
        };
        let options = OpenOptions { robot: robot.to_owned(), name: name.to_owned(), address: None, operator };
        let seen = Arc::new(Mutex::new(0));
        let (for_thread, mut eye) = (stop.clone(), Eye { seen: Arc::clone(&seen), on_ready });
        let thread = thread::spawn(move || open::run(options, &mut eye, &for_thread));
        Operator { stop: stop.clone(), seen, thread }
    }

    pub fn watch(&self, name: &str) -> Watch {
        Watch::open(&self.fleet(name)).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A vehicle in a thread, stopped when dropped.
pub struct Vehicle {
    stop: StopFlag,
    told: Arc<Mutex<Vec<String>>>,
    /// Makes the link of a drive die.
    pub fault: Fault,
    thread: Option<JoinHandle<Result<(), FleetError>>>,
}

impl Vehicle {
    pub fn end(mut self) -> Result<(), FleetError> {
        self.stop.set();
        self.thread.take().expect("runs").join().expect("no panic")
    }

    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    pub fn told(&self) -> String {
        self.told.lock().unwrap().join("\n")
    }
}

impl Drop for Vehicle {
    fn drop(&mut self) {
        self.stop.set();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// An operator in a thread.
pub struct Operator {
    stop: StopFlag,
    seen: Arc<Mutex<u64>>,
    thread: JoinHandle<Result<OperatorSummary, FleetError>>,
}

impl Operator {
    /// Pictures seen so far.
    pub fn seen(&self) -> u64 {
        *self.seen.lock().unwrap()
    }

    /// Waits for `more` pictures.
    pub fn sees(&self, more: u64) {
        let wanted = self.seen() + more;
        wait_for("pictures", || self.seen() >= wanted || self.thread.is_finished());
        assert!(self.seen() >= wanted, "the drive ended");
    }

    /// Ends the drive; the sessions there were.
    pub fn end(self) -> Result<u64, FleetError> {
        self.stop.set();
        self.result().map(|summary| summary.sessions)
    }

    /// Waits for the end.
    pub fn result(self) -> Result<OperatorSummary, FleetError> {
        wait_for("the operator's end", || self.thread.is_finished());
        self.thread.join().expect("no panic")
    }
}

struct Eye<F> {
    seen: Arc<Mutex<u64>>,
    on_ready: F,
}

impl<F: Fn()> Display<OperatorStatus> for Eye<F> {
    fn on_ready(&mut self, _: &Ready) {
        (self.on_ready)();
    }

    fn on_status(&mut self, _: MonoTime, status: &OperatorStatus) {
        *self.seen.lock().unwrap() = status.cameras.iter().map(|picture| picture.ledger.delivered).sum();
    }

    fn on_event(&mut self, _: MonoTime, _: &Happening) {}
}

/// Looks again and again until it is so.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn declare(name: &str) -> Robot {
    robot::parse("robot.yaml", &format!("robot: {name}\n{FLOWS}")).unwrap()
}

/// A port that was free a moment ago: a router that comes back must come back there.
fn address(protocol: &str) -> RouterAddress {
    let local: SocketAddr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    format!("{protocol}/{local}").parse().unwrap()
}

fn authority(file: &Path) -> (KeyPair, CertificateParams) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "fleet authority");
    fs::write(file, params.self_signed(&key).unwrap().pem()).unwrap();
    (key, params)
}

fn certificate(path: &Path, name: &str, issuer: &Issuer<'_, &KeyPair>) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    fs::write(path.with_extension("pem"), params.signed_by(&key, issuer).unwrap().pem()).unwrap();
    fs::write(path.with_extension("key"), key.serialize_pem()).unwrap();
}
