import type { SpokenLanguage } from '../../model/spoken/language.js';

/** `used`: entered rightly. `spent`: entered wrongly too often. `revoked`: closed by the platform. */
export type CodeState = 'pending' | 'used' | 'spent' | 'expired' | 'revoked';

/** A code that is entered once. Its digits are nowhere: what is kept is a keyed hash of them. */
export interface CodeRow {
  readonly id: string;
  /** What it is for; codes of one purpose are of no use for another. */
  readonly purpose: string;
  /** The digits of such a code are known to everybody. */
  readonly sandbox: boolean;
  readonly length: number;
  /** Null before the first was made, and when none counts any more. */
  readonly hash: string | null;
  readonly state: CodeState;
  /** Wrong ones, over all that were sent. */
  readonly attempts: number;
  readonly max_attempts: number;
  readonly sends: number;
  readonly sent_at: Date;
  /** From each sending on. */
  readonly lifetime_seconds: number;
  readonly expires_at: Date;
  /** Whoever entered it late was told so once. */
  readonly late_told: boolean;
  readonly created_at: Date;
  readonly closed_at: Date | null;
}

export type VerifyChannel = 'voice' | 'sms' | 'chatapp' | 'email';

/** A verification has its code's id. */
export interface VerificationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly channel: VerifyChannel;
  /** E.164, or an e-mail address. */
  readonly recipient: string;
  /** A number without its last four digits; null for an e-mail address. */
  readonly number_block: string | null;
  readonly end_user_ip: string | null;
  readonly language: SpokenLanguage;
  readonly brand_id: string | null;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
}

export type BrandStatus = 'draft' | 'pending' | 'approved' | 'rejected';

/** The name under which an organization's calls introduce themselves. */
export interface BrandRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly name_en: string;
  readonly name_ar: string;
  readonly status: BrandStatus;
  readonly rejection_reason: string | null;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly submitted_at: Date | null;
  readonly decided_at: Date | null;
}

/** `calling` is not kept: it is what a pending one is while its call rings or talks. */
export type ChallengeEnd = 'approved' | 'denied' | 'no_answer' | 'expired' | 'failed';

/** An authentication call: whoever answers enters the two digits that the screen shows. */
export interface ChallengeRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly assurance: 'number_match';
  /** E.164. */
  readonly number: string;
  readonly match_number: string;
  readonly brand_id: string | null;
  readonly language: SpokenLanguage;
  readonly metadata: Readonly<Record<string, string>>;
  readonly call_id: string | null;
  readonly state: 'pending' | ChallengeEnd;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly completed_at: Date | null;
}
