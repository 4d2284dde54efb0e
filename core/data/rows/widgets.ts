import type { Destination } from './numbers.js';

/** Appearance of a widget; the embedding page can override it. */
export interface WidgetTheme {
  /** `#rrggbb`; null: Hatif's default. */
  readonly accent: string | null;
  /** `auto` follows the visitor's system. */
  readonly scheme: 'auto' | 'light' | 'dark';
  /** Corner of the page at the start or end of its text direction. */
  readonly position: 'start' | 'end';
}

export interface WidgetRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  /** Callbacks run in the simulator. */
  readonly sandbox: boolean;
  /** As parsed by core/model/access/origin.ts. */
  readonly allowed_origins: readonly string[];
  /** Calling codes of the countries whose numbers it calls: `+966`. */
  readonly countries: readonly string[];
  /** Callbacks and codes in an hour; null: the operator's default. */
  readonly calls_per_hour: number | null;
  /** The party that customers are connected to; null: the project's default destination. */
  readonly destination: Destination | null;
  readonly language: 'ar' | 'en';
  /** Customers must prove that they own the phone number. */
  readonly otp: boolean;
  /** Browsers must solve a proof of work first. */
  readonly captcha: boolean;
  /** Visitors may call from the browser, if the destination is a queue or an agent. */
  readonly browser_calls: boolean;
  /** Visitors may write to the agents of the destination. */
  readonly chat: boolean;
  readonly theme: WidgetTheme;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}
