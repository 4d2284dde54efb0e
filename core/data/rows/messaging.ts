import type { Channel } from '../../model/messaging/channels.js';
import type { TemplateCategory, TemplateContent, TemplateStatus } from '../../model/messaging/template.js';

/** A message template in one language. */
export interface MessageTemplateRow extends TemplateContent {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly channel: Channel;
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
  readonly status: TemplateStatus;
  readonly rejection_reason: string | null;
  /** The id that the messaging provider gave it. */
  readonly provider_id: string | null;
  /** What the client calls it at the provider; stored, never used. */
  readonly template_id: string | null;
  /** Rises with each change of the content, so that a decision on an earlier one does not apply. */
  readonly revision: number;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly decided_at: Date | null;
}
