import type { ApiChange } from './api-change.js';
import { WEEK_47_2026 } from './2026-w47.js';
import { MESSAGING_W48_2026 } from './2026-w48-messaging.js';
import { WEB_CALLING_W48_2026 } from './2026-w48-web-calling.js';
import { WEEK_48_2026 } from './2026-w48.js';
import { OCTOBER_2026 } from './2026-10.js';
import { SEPTEMBER_2026 } from './2026-09.js';
import { AUGUST_2026 } from './2026-08.js';
import { JULY_2026 } from './2026-07.js';

/**
 * Newest first. Every change visible to a client is added together with the change itself: to the file of its month, or,
 * if the month has too many for one file, of its week (ISO 8601: `w48` begins on Monday, 23 November), or its subject.
 */
export const API_CHANGES: readonly ApiChange[] = [
  ...MESSAGING_W48_2026,
  ...WEB_CALLING_W48_2026,
  ...WEEK_48_2026,
  ...WEEK_47_2026,
  ...OCTOBER_2026,
  ...SEPTEMBER_2026,
  ...AUGUST_2026,
  ...JULY_2026,
];
