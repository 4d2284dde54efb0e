/** The least that a registrar and a balancing proxy on drachtio-server need: a table in memory, and two callees in turn. */
import { createHash, randomBytes } from 'node:crypto';
import Srf from 'drachtio-srf';

interface Request {
  readonly method: string;
  readonly uri: string;
  get(name: string): string | undefined;
  proxy(options: object): Promise<unknown>;
}
interface Response {
  send(status: number, options?: object): void;
}
type Handler = (request: Request, response: Response) => void;
interface Client {
  connect(options: object): void;
  on(event: 'connect' | 'error', listener: (error?: Error) => void): void;
  register(handler: Handler): void;
  invite(handler: Handler): void;
}

const { DRACHTIO_PORT, DRACHTIO_SECRET, CALLEES = '', PASSWORD = '' } = process.env;
const callees = CALLEES.split(',').map((port) => `sip:callee@127.0.0.1:${port}`);
const contacts = new Map<string, string>();
const nonces = new Set<string>();
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const srf = new Srf() as unknown as Client;
srf.register((request, response) => {
  const given = request.get('authorization');
  if (given === undefined) {
    const nonce = randomBytes(16).toString('hex');
    nonces.add(nonce);
    response.send(401, { headers: { 'WWW-Authenticate': `Digest realm="hatif", nonce="${nonce}", algorithm=MD5` } });
    return;
  }
  const member = (name: string): string => new RegExp(`${name}="?([^",]*)`).exec(given)?.[1] ?? '';
  const [user, nonce] = [member('username'), member('nonce')];
  const expected = md5(`${md5(`${user}:hatif:${PASSWORD}`)}:${nonce}:${md5(`REGISTER:${member('uri')}`)}`);
  if (!nonces.delete(nonce) || expected !== member('response')) {
    response.send(403);
    return;
  }
  const contact = request.get('contact') ?? '';
  contacts.set(user, contact);
  response.send(200, { headers: { Contact: contact, Expires: '300' } });
});
let turn = 0;
srf.invite((request) => {
  turn = (turn + 1) % callees.length;
  request
    .proxy({ destination: [callees[turn]], remainInDialog: true, forking: 'simultaneous' })
    .catch((error: unknown) => console.error(error));
});
srf.on('error', (error) => console.error(error));
srf.on('connect', () => process.send?.({}));
srf.connect({ host: '127.0.0.1', port: Number(DRACHTIO_PORT), secret: DRACHTIO_SECRET });
