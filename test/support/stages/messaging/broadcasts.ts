import { expect } from 'chai';
import { eventually } from '../../eventually.js';
import type { Answer } from '../../api.js';
import type { MessageStage } from './message-stage.js';

/** The numbers of a broadcast. */
export type Counts = Readonly<Record<string, number>>;

/** What tests do with broadcasts, with one key. */
export class BroadcastDesk {
  constructor(
    readonly stage: MessageStage,
    readonly key: string,
  ) {}

  /** Creates and approves an SMS template. @returns how broadcasts name it */
  async template(name: string, body: string, more: object = {}): Promise<{ name: string; language: string }> {
    const variables = [...new Set(body.match(/\{\{\d+\}\}/g) ?? [])].map(() => 'x');
    const content = { channel: 'sms', name, language: 'ar', category: 'UTILITY', body, variables };
    await this.stage.good(this.key, 'POST', '/messages/templates', { ...content, ...more });
    for (const task of this.stage.messaging.tasks) await task.run();
    return { name, language: 'ar' };
  }

  /** Creates a draft. @returns its id */
  async draft(json: object): Promise<string> {
    const { id } = await this.stage.good(this.key, 'POST', '/broadcasts', { name: 'Offer', channel: 'sms', ...json });
    return String(id);
  }

  /** Gives a draft its recipients. */
  upload(id: string, text: string, key = this.key): Promise<Answer> {
    const raw = new FormData();
    raw.set('file', new Blob([text], { type: 'text/csv' }), 'people.csv');
    return this.stage.api.request('POST', `/v1/broadcasts/${id}/recipients`, { key, raw });
  }

  /** A draft with recipients from a file. @returns its id */
  async withFile(json: object, lines: readonly string[]): Promise<string> {
    const id = await this.draft(json);
    const answer = await this.upload(id, lines.join('\n'));
    expect(answer.status, answer.text).to.equal(200);
    return id;
  }

  /** Contacts in a new group. @returns its id */
  async group(contacts: readonly object[]): Promise<string> {
    const { id } = await this.stage.good(this.key, 'POST', '/contact-groups', { name: `Group ${Math.random()}` });
    const contact_ids: unknown[] = [];
    for (const contact of contacts)
      contact_ids.push((await this.stage.good(this.key, 'POST', '/contacts', contact)).id);
    await this.stage.good(this.key, 'POST', `/contact-groups/${String(id)}/members`, { contact_ids });
    return String(id);
  }

  /** `start`, `pause` and the like. */
  step(id: string, step: string): Promise<Record<string, unknown>> {
    return this.stage.good(this.key, 'POST', `/broadcasts/${id}/${step}`);
  }

  get(id: string): Promise<Record<string, unknown>> {
    return this.stage.good(this.key, 'GET', `/broadcasts/${id}`);
  }

  async counts(id: string): Promise<Counts> {
    return (await this.get(id)).counts as Counts;
  }

  /** Resolves when the broadcast has the status. @returns it */
  async reaches(id: string, status: string, limitMs?: number): Promise<Record<string, unknown>> {
    let broadcast: Record<string, unknown> = {};
    await eventually(
      async () => {
        broadcast = await this.get(id);
        return broadcast.status === status;
      },
      () => `the broadcast is ${status}: ${JSON.stringify(broadcast)}`,
      limitMs,
    );
    return broadcast;
  }

  /** Resolves when the numbers of the broadcast are right. @returns them */
  async counted(id: string, isRight: (counts: Counts) => boolean): Promise<Counts> {
    let counts: Counts = {};
    await eventually(
      async () => isRight((counts = await this.counts(id))),
      () => `the numbers are right: ${JSON.stringify(counts)}`,
    );
    return counts;
  }

  async recipients(id: string, query = ''): Promise<Record<string, unknown>[]> {
    const page = await this.stage.good(this.key, 'GET', `/broadcasts/${id}/recipients${query}`);
    return page.data as Record<string, unknown>[];
  }

  /** The types of the events about a broadcast, oldest first. */
  async events(id: string): Promise<string[]> {
    const rows = await this.stage.database.db.query<{ type: string }>(
      `SELECT type FROM events WHERE data->>'id' = $1 AND type LIKE 'broadcast.%' ORDER BY created_at, id`,
      [id],
    );
    return rows.map(({ type }) => type.replace('broadcast.', ''));
  }
}
