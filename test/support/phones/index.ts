export { Baresip, type PhoneCall, type PhoneEventType, type WaitOptions } from './baresip.js';
export type { BaresipOptions } from './baresip-config.js';
export type { ControlEvent } from './control.js';
export { freeSipPort } from './ports.js';
export { Sipp, type SippOptions, type SippResult, type SippScenario } from './sipp.js';
