export { dayNumber, hijriOf, localTime, type LocalDate } from './local.js';
export { isOpen, nextOpening } from './open.js';
export { openingHours, type OpeningHours } from './opening-hours.js';
