export { hijriOf, localTime } from './local.js';
export { isOpen, nextOpening } from './open.js';
export { openingHours, type OpeningHours } from './opening-hours.js';
