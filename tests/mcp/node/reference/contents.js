// Small values that tools, resources and prompts answer with.

// One red pixel.
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

// One sample of silence.
export const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';

export const text = (value) => ({ type: 'text', text: value });
export const image = { type: 'image', data: PNG, mimeType: 'image/png' };
export const audio = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
export const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
export const said = (...content) => ({ content });
