import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import { MailError } from '../../../core/ports/mail.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { MailServer } from '../../support/peers/mail-server.js';

const FROM = 'Hatif <codes@hatif.example>';
const message = {
  to: 'reem@example.com',
  subject: 'رمز التحقق',
  text: 'رمزك هو ٤٢\n',
  html: '<p>رمزك هو <b>٤٢</b></p>',
  language: 'ar',
} as const;

describe('mail by SMTP', () => {
  it('delivers messages unchanged, with attachments', async () => {
    const server = await MailServer.start();
    try {
      const mailer = new SmtpMailer({ url: server.url, from: FROM });
      const content = new Uint8Array([1, 2, 3, 255]);
      await mailer.send({ ...message, attachments: [{ name: 'message.wav', mediaType: 'audio/wav', content }] });
      const mail = await server.mailTo(message.to);
      expect(mail).to.deep.include({ from: 'codes@hatif.example', to: [message.to] });
      expect(mail.text.trim()).to.equal(message.text.trim());
      expect(mail.html.trim()).to.equal(message.html);
      expect(mail.source)
        .to.match(/^From: Hatif <codes@hatif\.example>/m)
        .and.to.match(/^Content-Language: ar/m);
      expect(mail.source).to.contain('message.wav').and.to.contain(Buffer.from(content).toString('base64'));
    } finally {
      await server.close();
    }
  });

  it('delivers to one recipient, whatever the address contains', async () => {
    const server = await MailServer.start();
    try {
      const mailer = new SmtpMailer({ url: server.url, from: FROM });
      await mailer.send({ ...message, to: 'a@example.com,b@example.com' }).catch(() => undefined);
      expect(server.mails.flatMap(({ to }) => to).length).to.be.below(2);
    } finally {
      await server.close();
    }
  });

  for (const [responseCode, kind] of [
    [550, 'refused'],
    [451, 'unavailable'],
  ] as const) {
    it(`reports ${kind} if the server answers ${responseCode}`, async () => {
      const server = await MailServer.start({
        onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error('no'), { responseCode })),
      });
      try {
        const failure = await failureOf(new SmtpMailer({ url: server.url, from: FROM }).send(message));
        expect(failure).to.be.instanceOf(MailError).with.property('kind', kind);
      } finally {
        await server.close();
      }
    });
  }

  it('is unavailable if nothing listens, or something other than a mail server does', async () => {
    const stranger = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const send = () => new SmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM }).send(message);
    expect(await failureOf(send())).to.have.property('kind', 'unavailable');
    await new Promise((resolve) => stranger.close(resolve));
    expect(await failureOf(send())).to.have.property('kind', 'unavailable');
  });
});
