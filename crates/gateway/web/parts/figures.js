// Numbers and times as people read them, and as `tokenforge gain` prints them.

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (number) => whole.format(number ?? 0).replace('-', '−');

export const brief = (number) => (Math.abs(number ?? 0) < 10_000 ? count(Math.round(number ?? 0)) : short.format(number).replace('-', '−'));

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function percent(part, all) {
  if (!all) return '–';
  const share = (100 * part) / all;
  const digits = share !== 0 && Math.abs(share) < 10 ? 1 : 0;
  return `${share.toFixed(digits).replace('-', '−')}\u00a0%`;
}

// Cents, and more digits where there are no cents.
export function dollars(amount) {
  const size = Math.abs(amount ?? 0);
  const digits = size >= 1 || size === 0 ? 2 : 4;
  return `${amount < 0 ? '−' : ''}$${size.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

export function bytes(size) {
  if (size < 1024) return `${count(size)} B`;
  if (size < 1024 ** 2) return `${(size / 1024).toFixed(1)} KiB`;
  return `${(size / 1024 ** 2).toFixed(1)} MiB`;
}

export const clock = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

// A moment as one says it today.
export function moment(seconds, now = new Date()) {
  const date = new Date(seconds * 1000);
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0) return `today ${time}`;
  if (days === 1) return `yesterday ${time}`;
  const isThisYear = date.getFullYear() === now.getFullYear();
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
  return `${day}, ${time}`;
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 24 ? `${hours} h ${Math.round((seconds % 3600) / 60)} min` : plural(Math.round(hours / 24), 'day');
}

// `log_templates` as words.
export const words = (name) => String(name ?? '').replaceAll('_', ' ');

// A tool, and the program that it ran where it is a shell.
export const called = (tool, program) => [tool || 'unknown tool', program].filter(Boolean).join(' · ');
