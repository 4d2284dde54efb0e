import type { SpokenLanguage } from '../../model/spoken/language.js';

/**
 * `used`: entered correctly. `spent`: too many wrong entries. `revoked`: closed by the platform.
 */
export type CodeState = 'pending' | 'used' | 'spent' | 'expired' | 'revoked';

/** A one-time code. Only a keyed hash of its digits is stored. */
export interface CodeRow {
  readonly id: string;
  /** What the code is for; it is invalid for any other purpose. */
  readonly purpose: string;
  /** Whose widget sent the code to which block of numbers; null for other codes and in the sandbox. */
  readonly organization_id: string | null;
  readonly number_block: string | null;
  /** Sandbox codes have publicly known digits. */
  readonly sandbox: boolean;
  readonly length: number;
  /** Null before the first code is made, and once the code is closed. */
  readonly hash: string | null;
  readonly state: CodeState;
  /** Wrong entries, over all sends. */
  readonly attempts: number;
  readonly max_attempts: number;
  readonly sends: number;
  readonly sent_at: Date;
  /** Counted from each send. */
  readonly lifetime_seconds: number;
  readonly expires_at: Date;
  /** Whether expiry was already reported to someone who entered the code late. */
  readonly late_told: boolean;
  readonly created_at: Date;
  readonly closed_at: Date | null;
}

export type VerifyChannel = 'voice' | 'sms' | 'chatapp' | 'email';

/** A channel with the number or address that it sends to. */
export interface SendStep {
  readonly channel: VerifyChannel;
  /** E.164, or an e-mail address. */
  readonly recipient: string;
}

/** Why a code did not arrive. */
export type SendFailure =
  | 'busy'
  | 'no_answer'
  | 'rejected'
  | 'invalid_number'
  /** The carrier, engine or telephone failed. */
  | 'unreachable'
  /** The channel did not accept the code, or could not be asked. */
  | 'not_sent'
  /** Too many codes or calls to the recipient. */
  | 'limited'
  | 'blocked'
  /** The project may not: permissions, credit, spending cap. */
  | 'refused'
  | 'not_configured';

/** One sending of a code. */
export interface SendAttemptRow extends SendStep {
  readonly verification_id: string;
  /** From 1, over all sendings. */
  readonly number: number;
  /** 0: the verification's own channel; 1 is the first of `fallback`. */
  readonly step: number;
  readonly state: 'sending' | 'sent' | 'failed';
  readonly reason: SendFailure | null;
  /** The call that speaks the code. */
  readonly call_id: string | null;
  /** The message that carries it. */
  readonly message_id: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

/** A verification has the id of its code. */
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
  /** Where the code is sent next if it does not arrive. */
  readonly fallback: readonly SendStep[];
  readonly end_user_ip: string | null;
  readonly language: SpokenLanguage;
  readonly brand_id: string | null;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
}

export type BrandStatus = 'draft' | 'pending' | 'approved' | 'rejected';

/** The name with which an organization's calls introduce themselves. */
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
  readonly deleted_at: Date | null;
}

/** `calling` is not stored: it is a pending challenge whose call rings or is answered. */
export type ChallengeEnd = 'approved' | 'denied' | 'no_answer' | 'expired' | 'failed';

/** An authentication call: the person who answers enters the two digits shown on the screen. */
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
