import type { Channel } from '../../../model/messaging/channels.js';
import type { TemplateReview, TemplateStatus } from '../../../model/messaging/template.js';
import type { Database, Queryable } from '../../database.js';
import { messageTemplatesOf } from '../../models/messaging.js';
import type { MessageTemplateRow } from '../../rows.js';
import type { Position } from '../calls/calls.js';
import type { ProjectKind } from '../project-kind.js';

/** Names a template, in one language. */
export interface TemplateKey {
  readonly channel: Channel;
  readonly name: string;
  readonly language: string;
}

export interface TemplateFilter {
  readonly channel?: Channel | undefined;
  readonly status?: TemplateStatus | undefined;
  readonly name?: string | undefined;
  readonly language?: string | undefined;
}

/** What replaces the content of a template; it is then pending. */
export type TemplateReplacement = Pick<
  MessageTemplateRow,
  | 'body'
  | 'header'
  | 'footer'
  | 'buttons'
  | 'variables'
  | 'otp_button'
  | 'category'
  | 'template_id'
  | 'revision'
  | 'updated_at'
  | 'status'
  | 'rejection_reason'
  | 'provider_id'
  | 'decided_at'
>;

export class MessageTemplates {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = messageTemplatesOf(db);
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** @throws a unique violation of `message_templates_name` */
  create(row: MessageTemplateRow): Promise<void> {
    return this.#table.insert(row);
  }

  /** The template created by a request of this key, or null. */
  createdBy(projectId: string, keyId: string, requestId: string): Promise<MessageTemplateRow | null> {
    return this.#table.findOne({ project_id: projectId, created_by_key: keyId, request_id: requestId });
  }

  /** A live caller reads a sandbox template if there is no live one. */
  async read({ projectId, sandbox }: ProjectKind, key: TemplateKey): Promise<MessageTemplateRow | null> {
    const rows = await this.db.query<MessageTemplateRow>(
      `SELECT * FROM message_templates
       WHERE project_id = $1 AND channel = $2 AND name = $3 AND language = $4 AND (sandbox OR NOT $5)
       ORDER BY sandbox LIMIT 1`,
      [projectId, key.channel, key.name, key.language, sandbox],
    );
    return rows[0] ?? null;
  }

  /** The template of exactly this kind, which no other transaction changes until the end of this one. */
  async lock(tx: Queryable, { projectId, sandbox }: ProjectKind, key: TemplateKey): Promise<MessageTemplateRow | null> {
    const rows = await tx.query<MessageTemplateRow>(
      `SELECT * FROM message_templates
       WHERE project_id = $1 AND channel = $2 AND name = $3 AND language = $4 AND sandbox = $5 FOR UPDATE`,
      [projectId, key.channel, key.name, key.language, sandbox],
    );
    return rows[0] ?? null;
  }

  /** Up to `limit` templates after a position, newest first. */
  list(
    { projectId, sandbox }: ProjectKind,
    { channel, status, name, language }: TemplateFilter,
    { limit, after }: { readonly limit: number; readonly after: Position | null },
  ): Promise<MessageTemplateRow[]> {
    return this.db.query<MessageTemplateRow>(
      `SELECT * FROM message_templates
       WHERE project_id = $1 AND (sandbox OR NOT $2) AND channel = coalesce($3, channel)
         AND status = coalesce($4, status) AND name = coalesce($5, name) AND language = coalesce($6, language)
         AND ($7::timestamptz IS NULL OR (created_at, id) < ($7, $8::uuid))
       ORDER BY created_at DESC, id DESC LIMIT $9`,
      [
        ...[projectId, sandbox, channel ?? null, status ?? null, name ?? null, language ?? null],
        ...[after?.createdAt ?? null, after?.id ?? null, limit],
      ],
    );
  }

  async replace(tx: Queryable, id: string, replacement: TemplateReplacement): Promise<void> {
    await this.#table.update({ id }, replacement, tx);
  }

  /** @param language null: every language of the name */
  ofName(
    { projectId, sandbox }: ProjectKind,
    { channel, name, language }: Omit<TemplateKey, 'language'> & { readonly language: string | null },
  ): Promise<MessageTemplateRow[]> {
    return this.#table.find({ project_id: projectId, sandbox, channel, name, ...(language !== null && { language }) }, [
      'id',
    ]);
  }

  /** @param language null: every language of the name. @returns how many were deleted */
  remove(
    { projectId, sandbox }: ProjectKind,
    { channel, name, language }: Omit<TemplateKey, 'language'> & { readonly language: string | null },
  ): Promise<number> {
    return this.#table.remove({
      ...{ project_id: projectId, sandbox, channel, name },
      ...(language !== null && { language }),
    });
  }

  /** The live template that a provider knows by this id; null if there is none. */
  ofProvider(projectId: string, providerId: string): Promise<MessageTemplateRow | null> {
    return this.#table.findOne({ project_id: projectId, provider_id: providerId, sandbox: false });
  }

  /**
   * The approved live WhatsApp template for codes, the first by language and name; null if there is none.
   * @param language such as `ar`, which also finds `ar_SA`; null for any language
   */
  async forCodes(projectId: string, language: string | null): Promise<MessageTemplateRow | null> {
    const [row] = await this.db.query<MessageTemplateRow>(
      `SELECT * FROM message_templates
       WHERE project_id = $1 AND channel = 'chatapp' AND category = 'AUTHENTICATION' AND status = 'approved'
         AND NOT sandbox AND ($2::text IS NULL OR split_part(language, '_', 1) = $2)
       ORDER BY language, name LIMIT 1`,
      [projectId, language],
    );
    return row ?? null;
  }

  /** Templates that wait for their provider, the longest first. */
  underReview(limit: number): Promise<MessageTemplateRow[]> {
    return this.db.query<MessageTemplateRow>(
      `SELECT * FROM message_templates WHERE status = 'pending' AND NOT sandbox AND provider_id IS NOT NULL
       ORDER BY updated_at LIMIT $1`,
      [limit],
    );
  }

  /** Stores a decision about a content. @returns the template; null if nothing changed, or the content is another one */
  async decide(
    tx: Queryable,
    { id, revision }: Pick<MessageTemplateRow, 'id' | 'revision'>,
    { status, category, reason }: TemplateReview,
    at: Date,
  ): Promise<MessageTemplateRow | null> {
    const [row] = await tx.query<MessageTemplateRow>(
      `UPDATE message_templates SET status = $3, category = $4, rejection_reason = $5, updated_at = $6::timestamptz,
         decided_at = CASE WHEN $3 = 'pending' THEN NULL ELSE $6::timestamptz END
       WHERE id = $1 AND revision = $2 AND (status, category, rejection_reason) IS DISTINCT FROM ($3::text, $4::text, $5::text)
       RETURNING *`,
      [id, revision, status, category, status === 'rejected' ? reason : null, at],
    );
    return row ?? null;
  }

  /** Approves up to `limit` pending templates that no provider reviews. @returns them */
  approveUnreviewed(
    tx: Queryable,
    reviewed: readonly Channel[],
    at: Date,
    limit: number,
  ): Promise<MessageTemplateRow[]> {
    return tx.query<MessageTemplateRow>(
      `UPDATE message_templates SET status = 'approved', decided_at = $1, updated_at = $1
       WHERE id IN (
         SELECT id FROM message_templates WHERE status = 'pending' AND (sandbox OR NOT channel = ANY ($2))
         ORDER BY updated_at LIMIT $3 FOR UPDATE SKIP LOCKED
       ) RETURNING *`,
      [at, reviewed, limit],
    );
  }
}
