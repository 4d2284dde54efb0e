import type { ApiChange } from './api-change.js';
import { NOVEMBER_2026 } from './2026-11.js';
import { OCTOBER_2026 } from './2026-10.js';
import { SEPTEMBER_2026 } from './2026-09.js';
import { AUGUST_2026 } from './2026-08.js';
import { JULY_2026 } from './2026-07.js';

/** Newest first. Every change visible to a client is added to the file of its month together with the change itself. */
export const API_CHANGES: readonly ApiChange[] = [
  ...NOVEMBER_2026,
  ...OCTOBER_2026,
  ...SEPTEMBER_2026,
  ...AUGUST_2026,
  ...JULY_2026,
];
