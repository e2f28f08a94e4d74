// Numbers as people read them.

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (number) => whole.format(number ?? 0);

export const brief = (number) => (Math.abs(number) < 10_000 ? count(number) : short.format(number));

export function percent(part, all) {
  if (!all) return '–';
  const share = (100 * part) / all;
  const digits = share !== 0 && Math.abs(share) < 10 ? 1 : 0;
  return `${share.toFixed(digits)}\u00a0%`;
}

export function dollars(amount) {
  const size = Math.abs(amount ?? 0);
  if (size === 0) return '$0.00';
  const digits = size < 0.01 ? 5 : size < 1 ? 3 : 2;
  return `${amount < 0 ? '−' : ''}$${size.toFixed(digits)}`;
}

export function bytes(size) {
  if (size < 1024) return `${count(size)} B`;
  if (size < 1024 ** 2) return `${(size / 1024).toFixed(1)} KiB`;
  return `${(size / 1024 ** 2).toFixed(1)} MiB`;
}

export const clock = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

// `log_templates` as words.
export const words = (name) => String(name ?? '').replaceAll('_', ' ');
