//! The RTOS's side.

use core::sync::atomic::AtomicU32;

use tokkyu_rtos_aarch64::linux;
use tokkyu_window::{WindowError, WindowForm, WindowReader, WindowView, WindowWriter};

use crate::directory::write;
use crate::place::{PlaceError, Places, place};
use crate::topic::{Direction, Topic};

/// The topics of an image, and their memory.
#[derive(Debug)]
pub struct Crossing {
    shared: &'static [AtomicU32],
    topics: &'static [Topic<'static>],
    places: Places,
}

impl Crossing {
    /// Tells Linux of them; once, before anything else is done with them.
    ///
    /// # Errors
    /// [`PlaceError`]: they do not fit, or there is no Linux.
    pub fn begin(topics: &'static [Topic<'static>]) -> Result<Crossing, PlaceError> {
        let shared = linux::shared_words();
        write(shared, topics)?;
        Ok(Crossing { shared, topics, places: place(topics)? })
    }

    fn window(&self, number: usize, direction: Direction) -> Option<(&'static [AtomicU32], WindowForm)> {
        let topic = self.topics.get(number).filter(|topic| topic.direction == direction)?;
        Some((self.shared.get(self.places.of(number)..)?.get(..topic.form.words())?, topic.form))
    }

    /// What publishes the topic of this number; one for each. None: it is none, or Linux's.
    pub fn writer(&self, number: usize) -> Option<WindowWriter<'static>> {
        let (memory, form) = self.window(number, Direction::FromRtos)?;
        WindowWriter::new(memory, form).ok()
    }

    /// What reads the topic of this number. None: it is none, or the RTOS's.
    pub fn inlet(&self, number: usize) -> Option<Inlet> {
        let (memory, form) = self.window(number, Direction::FromLinux)?;
        Some(Inlet { memory, form, reader: None })
    }

    /// Linux's driver is to look: after one or more messages.
    pub fn ring(&self) {
        linux::ring();
    }
}

/// A topic of Linux's, whether or not anybody publishes it.
#[derive(Debug)]
pub struct Inlet {
    memory: &'static [AtomicU32],
    form: WindowForm,
    reader: Option<WindowReader<'static>>,
}

impl Inlet {
    /// The oldest message that is still there and was not looked at. None: there is none now.
    pub fn look(&mut self) -> Option<WindowView<'static>> {
        self.reader().ok()?.look()
    }

    /// See [`WindowReader::is_whole`].
    pub fn is_whole(&mut self, view: &WindowView<'static>) -> bool {
        self.reader.as_mut().is_some_and(|reader| reader.is_whole(view))
    }

    /// Messages that were lost, those that were broken, and how often Linux began anew.
    pub fn losses(&self) -> (u64, u64, u64) {
        self.reader.as_ref().map_or((0, 0, 0), |reader| (reader.lost(), reader.broken(), reader.restarts()))
    }

    /// Once somebody has made the window; all that is there since then was not read.
    fn reader(&mut self) -> Result<&mut WindowReader<'static>, WindowError> {
        if self.reader.is_none() {
            let mut reader = WindowReader::new(self.memory, self.form)?;
            reader.go_back();
            self.reader = Some(reader);
        }
        self.reader.as_mut().ok_or(WindowError::Foreign)
    }
}
