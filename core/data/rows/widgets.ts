import type { Destination } from './numbers.js';

/** How a widget looks; a page can change it again. */
export interface WidgetTheme {
  /** `#rrggbb`; null is Hatif's own. */
  readonly accent: string | null;
  /** `auto` follows the visitor's system. */
  readonly scheme: 'auto' | 'light' | 'dark';
  /** The corner of the page: where its lines begin or end. */
  readonly position: 'start' | 'end';
}

export interface WidgetRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  /** Its callbacks are played by the simulator. */
  readonly sandbox: boolean;
  /** As core/model/access/origin.ts reads them. */
  readonly allowed_origins: readonly string[];
  /** With whom customers are joined; null: the project's default destination. */
  readonly destination: Destination | null;
  readonly language: 'ar' | 'en';
  /** Customers prove that the phone is theirs. */
  readonly otp: boolean;
  /** Browsers do some work first. */
  readonly captcha: boolean;
  readonly theme: WidgetTheme;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}
