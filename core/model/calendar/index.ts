export { dayNumber, hijriOf, localTime, RIYADH, type LocalDate } from './local.js';
export { isOpen, nextOpening } from './open.js';
export { isTimeZone, openingHours, type OpeningHours } from './opening-hours.js';
