import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../eventually.js';

type Json = Record<string, unknown>;

/** An error of the Graph API in the form and with the codes that Meta documents. */
export interface GraphFault {
  readonly status: number;
  readonly code: number;
  readonly message?: string;
}

interface Template extends Json {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  components: Json[];
}

/** A file that WhatsApp keeps. */
export interface PeerFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly name: string;
}

/** A request to send that was accepted. */
export interface TakenMessage {
  readonly id: string;
  readonly body: Json;
}

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];

/**
 * The Cloud API of WhatsApp, as Meta's public documentation describes it: one account with one number. It checks tokens
 * and the form of each request, and signs its notices.
 */
export class WhatsApp {
  readonly token = 'EAAG-a-token-of-a-system-user';
  readonly appSecret = '0123456789abcdef0123456789abcdef';
  readonly phoneNumberId = '106540352242922';
  readonly businessId = '102290129340398';
  readonly number = '+966112345678';
  readonly taken: TakenMessage[] = [];
  readonly read: string[] = [];
  readonly templates = new Map<string, Template>();
  /** Whether the application is subscribed to the notices of the account. */
  isSubscribed = false;
  /** Answers the next requests to send, in this order, in place of taking them. `lost`: takes it and answers nothing. */
  readonly faults: (GraphFault | 'lost' | 'garbled')[] = [];
  requests = 0;
  /** The files that were uploaded, and those of people, by id. */
  readonly files = new Map<string, PeerFile>();
  #next = 1;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WhatsApp> {
    const server = createServer();
    const peer = new WhatsApp(server);
    server.on('request', (req, res) => void peer.#serve(req, res));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v23.0`;
  }

  /** What a client gives to connect the number. */
  get account(): Json {
    return {
      ...{ phone_number: this.number, phone_number_id: this.phoneNumberId, business_account_id: this.businessId },
      ...{ access_token: this.token, app_secret: this.appSecret },
    };
  }

  /** The body of the newest message to a person; waits for one if there is none. */
  async messageTo(number: string): Promise<TakenMessage> {
    const to = number.replace('+', '');
    await eventually(() => this.taken.some(({ body }) => body.to === to), `a message to ${number}`);
    return this.taken.filter(({ body }) => body.to === to).at(-1)!;
  }

  /** A notice with changes of the field `messages`: its headers and body, signed. */
  notice(value: Json, changes: { readonly secret?: string; readonly field?: string; readonly business?: string } = {}) {
    const { secret = this.appSecret, field = 'messages', business = this.businessId } = changes;
    const metadata = { display_phone_number: this.number.slice(1), phone_number_id: this.phoneNumberId };
    const whole = field === 'messages' ? { messaging_product: 'whatsapp', metadata, ...value } : value;
    const raw = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: business, changes: [{ field, value: whole }] }],
    });
    return this.signed(raw, secret);
  }

  signed(raw: string, secret = this.appSecret) {
    const signature = createHmac('sha256', secret).update(raw).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    return { raw, headers };
  }

  /** The status of a message, as a notice has it. */
  status(taken: TakenMessage, status: string, code?: number): Json {
    return {
      ...{ id: taken.id, status, timestamp: '1769839200', recipient_id: taken.body.to },
      ...(typeof taken.body.biz_opaque_callback_data === 'string' && {
        biz_opaque_callback_data: taken.body.biz_opaque_callback_data,
      }),
      ...(code !== undefined && { errors: [{ code, title: 'failed', message: 'failed' }] }),
    };
  }

  /** A message from a person, as a notice has it. */
  incoming(from: string, content: Json, id = `wamid.in-${this.#next++}`): Json {
    const profile = { profile: { name: 'Reem' }, wa_id: from.slice(1) };
    return { contacts: [profile], messages: [{ from: from.slice(1), id, timestamp: '1769839200', ...content }] };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? '', 'http://peer');
    const given = Buffer.concat(chunks);
    const isForm = req.headers['content-type']?.startsWith('multipart/form-data') === true;
    const body = chunks.length > 0 && !isForm ? (JSON.parse(given.toString('utf8')) as Json) : {};
    const reply = (status: number, json: object): void => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    };
    if (req.headers.authorization !== `Bearer ${this.token}`) {
      reply(401, faultOf({ status: 401, code: 190, message: 'Invalid OAuth access token' }));
      return;
    }
    const [, , id = '', edge = ''] = url.pathname.split('/');
    const path = `${req.method} ${id === this.phoneNumberId ? 'NUMBER' : id === this.businessId ? 'BUSINESS' : 'OTHER'} ${edge}`;
    switch (path) {
      case 'GET NUMBER ':
        reply(200, { id, display_phone_number: '+966 11 234 5678', verified_name: 'Shop' });
        return;
      case 'POST BUSINESS subscribed_apps':
        this.isSubscribed = true;
        reply(200, { success: true });
        return;
      case 'POST NUMBER media':
        await this.#upload(given, String(req.headers['content-type']), reply);
        return;
      case 'POST NUMBER messages':
        this.#send(body, reply, res);
        return;
      case 'GET BUSINESS message_templates':
        reply(200, {
          data: [...this.templates.values()].filter(({ name }) => name.includes(url.searchParams.get('name') ?? '')),
        });
        return;
      case 'POST BUSINESS message_templates':
        this.#create(body, reply);
        return;
      case 'DELETE BUSINESS message_templates': {
        const hsm = url.searchParams.get('hsm_id');
        for (const one of [...this.templates.values()]) {
          if (one.name === url.searchParams.get('name') && (hsm === null || one.id === hsm))
            this.templates.delete(one.id);
        }
        reply(200, { success: true });
        return;
      }
      default: {
        const file = this.files.get(id);
        if (file && edge === 'content') {
          res.writeHead(200, { 'content-type': file.mediaType }).end(file.bytes);
          return;
        }
        if (file) {
          const { mediaType: mime_type, bytes } = file;
          reply(200, {
            id,
            url: `${this.url}/${id}/content`,
            mime_type,
            file_size: bytes.length,
            messaging_product: 'whatsapp',
          });
          return;
        }
        const known = this.templates.get(id);
        if (known === undefined || edge !== '') {
          reply(
            400,
            faultOf({ status: 400, code: 100, message: `Unsupported request. Object with ID '${id}' does not exist` }),
          );
        } else if (req.method === 'GET') reply(200, known);
        else {
          const problem = componentProblem(body);
          if (problem !== null) reply(400, faultOf({ status: 400, code: 100, message: problem }));
          else {
            Object.assign(known, body, { status: 'PENDING', rejected_reason: 'NONE' });
            reply(200, { success: true });
          }
        }
      }
    }
  }

  async #upload(given: Buffer, contentType: string, reply: (status: number, json: object) => void): Promise<void> {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- parses whole bodies in memory, and tests send small ones
    const form = await new Response(new Uint8Array(given), { headers: { 'content-type': contentType } }).formData();
    const file = form.get('file');
    if (form.get('messaging_product') !== 'whatsapp' || !(file instanceof File) || form.get('type') !== file.type) {
      reply(400, faultOf({ status: 400, code: 100, message: 'messaging_product, type and file are required' }));
      return;
    }
    const id = String(1_037_543_291_543_636 + this.#next++);
    this.files.set(id, { mediaType: file.type, bytes: Buffer.from(await file.arrayBuffer()), name: file.name });
    reply(200, { id });
  }

  #send(body: Json, reply: (status: number, json: object) => void, res: ServerResponse): void {
    this.requests++;
    const problem = sendProblem(body);
    if (problem !== null) {
      reply(400, faultOf({ status: 400, code: 100, message: problem }));
      return;
    }
    if (body.status === 'read') {
      this.read.push(String(body.message_id));
      reply(200, { success: true });
      return;
    }
    const fault = this.faults.shift();
    if (fault !== undefined && fault !== 'lost' && fault !== 'garbled') {
      reply(fault.status, faultOf(fault));
      return;
    }
    const template = body.template as { name: string; language: { code: string } } | undefined;
    if (
      template &&
      ![...this.templates.values()].some(
        (one) => one.name === template.name && one.language === template.language.code && one.status === 'APPROVED',
      )
    ) {
      reply(404, faultOf({ status: 404, code: 132_001, message: 'Template name does not exist in the translation' }));
      return;
    }
    const id = `wamid.${this.#next++}`;
    this.taken.push({ id, body });
    if (fault === 'lost') res.destroy();
    else if (fault === 'garbled') res.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
    else {
      const contact = { input: body.to, wa_id: body.to };
      reply(200, { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id }] });
    }
  }

  #create(body: Json, reply: (status: number, json: object) => void): void {
    const problem = componentProblem(body);
    if (problem !== null) {
      reply(400, faultOf({ status: 400, code: 100, message: problem }));
      return;
    }
    const { name, language, category, components } = body as Template;
    if ([...this.templates.values()].some((one) => one.name === name && one.language === language)) {
      reply(400, faultOf({ status: 400, code: 100, message: 'There is already content in this language' }));
      return;
    }
    const id = String(594_425_479_261_596 + this.#next++);
    this.templates.set(id, { id, name, language, category, components, status: 'PENDING', rejected_reason: 'NONE' });
    reply(200, { id, status: 'PENDING', category });
  }
}

function faultOf({ code, message = 'failed' }: GraphFault): Json {
  return {
    error: { message: `(#${code}) ${message}`, type: 'OAuthException', code, fbtrace_id: 'Az8or2yhqkZfEZ-_4Qn_Bam' },
  };
}

/** What the documentation of `POST /{phone-number-id}/messages` does not allow; null for a good request. */
function sendProblem(body: Json): string | null {
  if (body.messaging_product !== 'whatsapp') return 'messaging_product must be whatsapp';
  if (body.status === 'read') return typeof body.message_id === 'string' ? null : 'message_id is required';
  if (body.recipient_type !== 'individual') return 'recipient_type must be individual';
  if (typeof body.to !== 'string' || !/^\d{7,15}$/.test(body.to)) return 'to is no phone number';
  const type = String(body.type);
  const content = body[type] as Json | undefined;
  if (content === undefined) return `${type} is required`;
  if (type === 'text') return typeof content.body === 'string' && content.body.length <= 4096 ? null : 'text.body';
  if (type === 'reaction') return typeof content.message_id === 'string' ? null : 'reaction.message_id';
  if (MEDIA.includes(type)) return typeof content.link === typeof content.id ? 'needs link or id' : null;
  if (type === 'template') return templateProblem(content);
  if (type === 'interactive') return interactiveProblem(content);
  return `unknown type ${type}`;
}

function templateProblem({ name, language, components = [] }: Json): string | null {
  if (typeof name !== 'string' || typeof (language as Json | undefined)?.code !== 'string') return 'template';
  const known = (components as Json[]).every(({ type, parameters }) => {
    const isText = (parameters as Json[]).every((one) => one.type === 'text' && typeof one.text === 'string');
    return ['header', 'body', 'button'].includes(String(type)) && isText;
  });
  return known ? null : 'template.components';
}

function interactiveProblem({ type, body, action }: Json): string | null {
  if (typeof (body as Json | undefined)?.text !== 'string') return 'interactive.body.text';
  const { buttons, button, sections } = action as { buttons?: Json[]; button?: string; sections?: Json[] };
  if (type === 'button') return buttons !== undefined && buttons.length <= 3 ? null : 'interactive.action.buttons';
  return button !== undefined && sections !== undefined ? null : 'interactive.action.sections';
}

/** What the documentation of templates does not allow: placeholders are numbered from 1 in each component, with samples. */
function componentProblem({ category, components }: Json): string | null {
  if (!Array.isArray(components)) return 'components is required';
  for (const { type, text, example = {}, add_security_recommendation, buttons } of components as Json[]) {
    if (category === 'AUTHENTICATION') {
      if (type === 'BODY' && add_security_recommendation === undefined) return 'the text is fixed';
      if (type === 'BUTTONS' && (buttons as Json[])[0]?.type !== 'OTP') return 'the button must be OTP';
      continue;
    }
    if (type === 'BUTTONS') continue;
    const found = [...String(text).matchAll(/\{\{(\d+)\}\}/g)].map(([, number]) => Number(number));
    const numbers = [...new Set(found)].sort((one, other) => one - other);
    if (numbers.some((number, index) => number !== index + 1)) return `${String(type)} is not numbered from 1`;
    const { header_text, body_text } = example as { header_text?: string[]; body_text?: string[][] };
    const samples = type === 'HEADER' ? header_text : body_text?.[0];
    if (new Set(numbers).size !== (samples?.length ?? 0)) return `${String(type)} needs samples`;
  }
  return null;
}
