//! Services that the node offers (NODE-58).

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::answer_head;

use super::Engine;
use crate::call::call;
use crate::command::Offer;
use crate::connection::{After, Connection, Role};
use crate::host::{Failure, Host, Level, Request};
use crate::net::{ConnId, Net};
use crate::offered::Offered;
use crate::serving::Serving;

impl<N: Net, H: Host> Engine<N, H> {
    pub(crate) fn offer(&mut self, wanted: Offer) {
        let Offer { service, kind, longest, handler, done } = wanted;
        if self.ending.is_some() {
            return done(Err(Failure::Ending));
        }
        if self.offers.contains_key(&service) {
            return done(Err(Failure::Offered));
        }
        let done = alloc::vec![done];
        self.offers.insert(service, Offered { kind, longest, handler, is_registered: false, done });
    }

    pub(crate) fn withdraw(&mut self, service: &str) {
        let Some(offered) = self.offers.remove(service) else { return };
        offered.done.into_iter().for_each(|done| done(Err(Failure::Ending)));
        let [name, uri] = [&self.identity.name, &self.identity.service_uri()];
        self.master.add_unregister(call("unregisterService", &[name, service, uri]));
        let is_of_it = |connection: &Connection| matches!(&connection.role, Role::Serving(serving) if serving.service == service);
        for id in self.connections.ids(is_of_it) {
            self.serve(id, |_, _| After::End);
        }
    }

    /// A request, or the end of the client.
    pub(crate) fn on_serving(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let Role::Serving(serving) = &connection.role else { return After::Stay };
        let most = connection.input.len() + crate::net::TURN;
        let is_busy = serving.is_busy;
        let received = connection.receive(&mut self.net, id, most);
        // Whatever it has asked: nobody hears the answer.
        if received.is_over {
            return After::End;
        }
        if is_busy { After::Stay } else { self.take_request(id, connection) }
    }

    fn take_request(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let Role::Serving(serving) = &mut connection.role else { return After::Stay };
        let taken = serving.next(&mut connection.input);
        if !self.has_room_for(serving.held) {
            let (who, service) = (serving.callerid.clone(), serving.service.clone());
            let most = self.identity.profile.request_bytes;
            self.log(
                Level::Warn,
                format_args!(
                    "{who} is refused by {service}: requests of more than {most} bytes are under way"
                ),
            );
            return After::End;
        }
        match taken {
            Ok(None) => After::Stay,
            Ok(Some(bytes)) => {
                let Some(offered) = self.offers.get(&serving.service) else { return After::End };
                serving.is_busy = true;
                let request = Request { asker: id, callerid: serving.callerid.clone(), bytes };
                offered.handler.on_request(request);
                After::Stay
            }
            Err(error) => {
                let (who, service) = (serving.callerid.clone(), serving.service.clone());
                self.log(Level::Warn, format_args!("{who} sent no request to {service}: {error}"));
                After::End
            }
        }
    }

    /// Whether a request may take so many bytes beside those of all other clients.
    fn has_room_for(&self, bytes: usize) -> bool {
        let held = |connection: &Connection| match &connection.role {
            Role::Serving(serving) => serving.held,
            _ => 0,
        };
        // The connection itself is not in its place just now.
        let others: usize = self.connections.iter().map(|(_, connection)| held(connection)).sum();
        others.saturating_add(bytes) <= self.identity.profile.request_bytes
    }

    /// The program has an answer.
    pub(crate) fn answer(&mut self, asker: ConnId, answer: Result<Vec<u8>, String>) {
        self.serve(asker, |engine, connection| {
            let Role::Serving(serving) = &mut connection.role else { return After::Stay };
            serving.is_busy = false;
            serving.held = 0;
            let is_persistent = serving.is_persistent;
            let (is_done, bytes) = match answer {
                Ok(bytes) => (true, bytes),
                Err(reason) => (false, reason.into_bytes()),
            };
            connection.queue(&answer_head(is_done, u32::try_from(bytes.len()).unwrap_or(u32::MAX)));
            connection.queue(&bytes);
            connection.ends_when_written = !is_persistent;
            match connection.flush(&mut engine.net, asker) {
                After::Stay if is_persistent => engine.take_request(asker, connection),
                after => after,
            }
        });
    }

    pub(crate) fn on_client_left(&mut self, id: ConnId, serving: &Serving) {
        if serving.is_busy {
            if let Some(offered) = self.offers.get(&serving.service) {
                offered.handler.on_left(id);
            }
            let (who, service) = (&serving.callerid, &serving.service);
            self.host.log(Level::Warn, format_args!("{who} has left before {service} answered"));
        }
    }
}
