// Where the gateway is, however the page was reached.

export const FORGE = new URL('../', location.href.split('#')[0]);

export const GATEWAY = new URL('../', FORGE);
