/**
 * The minimum that sends SMS: npm `smpp` with a window of submissions without a response. It answers receipts and stores
 * nothing.
 */
// @ts-expect-error -- the package has no types
import smpp from 'smpp';

interface Pdu {
  readonly command: string;
  response(): Pdu;
}
interface Session {
  readonly socket: { setNoDelay(isOn: boolean): void };
  on(event: 'pdu' | 'connect', listener: (pdu: Pdu) => void): void;
  send(pdu: Pdu): void;
  bind_transceiver(fields: object, answered: (pdu: { readonly command_status: number }) => void): void;
  submit_sm(fields: object, answered: () => void): void;
}

const { SMSC_PORT, SMSC_PASSWORD, WINDOW = '10' } = process.env;
const library = smpp as { connect(options: object): Session };
const session = library.connect({ url: `smpp://127.0.0.1:${SMSC_PORT}`, auto_enquire_link_period: 30_000 });
session.on('pdu', (pdu) => {
  if (pdu.command === 'deliver_sm') session.send(pdu.response());
});
session.on('connect', () => {
  session.socket.setNoDelay(true);
  session.bind_transceiver({ system_id: 'bare', password: SMSC_PASSWORD }, ({ command_status }) => {
    if (command_status !== 0) throw new Error(`the bind was refused: ${command_status}`);
    process.send?.({ ready: true });
  });
});

/** Submits messages, as many at once as the window allows. */
process.on('message', ({ count }: { readonly count: number }) => {
  let left = count;
  const next = (): void => {
    if (left-- <= 0) return;
    const fields = {
      ...{ source_addr: 'HATIF', source_addr_ton: 5, destination_addr: `9665${10_000_000 + left}`, dest_addr_ton: 1 },
      ...{ dest_addr_npi: 1, registered_delivery: 1, short_message: `Hello number ${left}` },
    };
    session.submit_sm(fields, next);
  };
  process.send?.({ atMs: Date.now() });
  for (let free = Number(WINDOW); free > 0; free--) next();
});
