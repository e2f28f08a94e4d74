//! A connection with one deadline for everything that is read and written. A timeout for each read alone would let the
//! other end hold the connection open for hours with a byte now and then.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection whose reads and writes can be given a timeout.
pub(crate) trait Connection: Read + Write {
    fn set_timeout(&self, timeout: Duration) -> io::Result<()>;
}

/// A connection that fails with `TimedOut` once its time is over.
pub(crate) struct TimedStream<C> {
    connection: C,
    ends: Instant,
}

impl<C: Connection> TimedStream<C> {
    pub(crate) fn new(connection: C, timeout: Duration) -> Self {
        TimedStream { connection, ends: Instant::now() + timeout }
    }

    /// The connection, with the time that is left as its timeout.
    fn limited(&mut self) -> io::Result<&mut C> {
        let left = self.ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.connection.set_timeout(left)?;
        Ok(&mut self.connection)
    }
}

impl<C: Connection> Read for TimedStream<C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.limited()?.read(buffer)
    }
}

impl<C: Connection> Write for TimedStream<C> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.limited()?.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.limited()?.flush()
    }
}

impl Connection for TcpStream {
    fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }
}

#[cfg(unix)]
impl Connection for std::os::unix::net::UnixStream {
    fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }
}

impl<C: Connection + ?Sized> Connection for Box<C> {
    fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        (**self).set_timeout(timeout)
    }
}
