// The stretch of time that a page is about, cut where people cut it: at full hours, and at midnight where they are.

export const RANGES = [['24h', '24 hours'], ['7d', '7 days'], ['30d', '30 days'], ['all', 'All']];

export const USUAL = '30d';

// As the ledger's sentences have them.
export const NAMES = { '24h': 'in the last 24 hours', '7d': 'in the last 7 days', '30d': 'in the last 30 days', all: 'since the first entry' };

// No chart has more columns.
const COLUMNS = 120;

const seconds = (date) => Math.floor(date.getTime() / 1000);

// The moments between which figures are added up. `first` is when the ledger begins, for the whole of it.
export function edges(range, first, now = new Date()) {
  if (range === '24h') return hours(now);
  const days = { '7d': 7, '30d': 30 }[range];
  if (days) return steps(midnight(now, 1 - days), now, (date) => midnight(date, 1));
  const start = new Date(first * 1000);
  const count = (now - start) / 86_400_000;
  if (count <= COLUMNS) return steps(midnight(start, count < 6 ? Math.floor(count) - 6 : 0), now, (date) => midnight(date, 1));
  if (count <= 7 * COLUMNS) return steps(midnight(start, -((start.getDay() + 6) % 7)), now, (date) => midnight(date, 7));
  return steps(new Date(start.getFullYear(), start.getMonth(), 1), now, (date) => new Date(date.getFullYear(), date.getMonth() + 1, 1));
}

// A day may have 23 or 25 hours: midnight is where the calendar has it.
function midnight(date, later) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later);
}

function hours(now) {
  const end = new Date(now);
  end.setMinutes(60, 0, 0);
  return Array.from({ length: 25 }, (_, index) => seconds(end) - 3600 * (24 - index));
}

function steps(start, now, next) {
  const edges = [seconds(start)];
  for (let date = start; date <= now;) {
    date = next(date);
    edges.push(seconds(date));
  }
  return edges;
}

const named = (options) => {
  const format = new Intl.DateTimeFormat('en-GB', options);
  return (start) => format.format(new Date(start * 1000));
};
const hour = named({ hour: '2-digit', minute: '2-digit' });
const weekday = named({ weekday: 'short', day: 'numeric' });
const day = named({ day: 'numeric', month: 'short' });
const month = named({ month: 'short', year: 'numeric' });
const longDay = named({ weekday: 'long', day: 'numeric', month: 'long' });

// What stands below a column, and what it is called in full.
export function labels(range, start, end) {
  const length = end - start;
  if (length <= 3600) return { short: hour(start), long: `${day(start)}, ${hour(start)} to ${hour(end)}` };
  if (length > 20 * 86_400) return { short: month(start), long: month(start) };
  if (length > 2 * 86_400) return { short: day(start), long: `week of ${day(start)}` };
  return { short: range === '7d' ? weekday(start) : day(start), long: longDay(start) };
}
