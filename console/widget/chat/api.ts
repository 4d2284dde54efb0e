import type { Api, Refused } from '../api.js';

/** Why the platform did not do something. */
export type Refusal = Pick<Refused, 'code' | 'retryAfterSeconds'>;

/** The class itself is in the script of the widget: a module of its own would have another one. */
export function refusalOf(error: unknown): Refusal {
  const { code = null, retryAfterSeconds = 0 } = error as Partial<Refusal>;
  return { code, retryAfterSeconds };
}

/** The requests of the chat to the platform. Everything throws Refused. */
export class ChatApi {
  constructor(private readonly api: Pick<Api, 'ask' | 'fetch' | 'base' | 'key'>) {}

  /** A new chat of the visitor. */
  begin(body: object): Promise<{ readonly token: string }> {
    return this.api.ask('chats', {}, body);
  }

  socket(): WebSocket {
    const { base, key } = this.api;
    return new WebSocket(`${base.replace(/^http/, 'ws')}/v1/widget/chats/socket?key=${key}`);
  }

  /** @param id makes a repeat harmless */
  async sendFile(token: string, id: string, file: File): Promise<void> {
    const form = new FormData();
    form.set('file', file);
    await this.api.fetch(`${placeOf(token)}/files`, { token, id }, form);
  }

  async file(token: string, id: string): Promise<Blob> {
    const answer = await this.api.fetch(`${placeOf(token)}/files/${id}`, { token });
    return answer.blob();
  }

  /** Has the chat mailed to the visitor. */
  async mail(token: string, email: string): Promise<void> {
    await this.api.fetch(`${placeOf(token)}/transcript`, { token }, { email });
  }
}

/** A token begins with the id of its chat. */
function placeOf(token: string): string {
  return `chats/${token.split('.')[0] ?? ''}`;
}
