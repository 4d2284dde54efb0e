import { expect } from 'chai';
import { Seal } from '../../../sip/relay/seal.js';
import { Tokens } from '../../../sip/relay/tokens.js';

const mac = (text: string): string => `mac of ${text}`;
// Another process may read what one wrote.
const [writer, reader] = [new Tokens(new Seal(mac)), new Tokens(new Seal(mac))];

describe('what the relay seals', () => {
  it('is opened here only, and only as what it was sealed as', () => {
    const sealed = writer.write('contact', { uri: 'sip:a@b', near: '' });
    expect(reader.read('contact', sealed)).to.deep.equal({ uri: 'sip:a@b', near: '' });
    expect(reader.read('call', sealed)).to.equal(null);
    expect(reader.read('subscribed', sealed)).to.equal(null);
    expect(new Tokens(new Seal((text) => `another mac of ${text}`)).read('contact', sealed)).to.equal(null);
    for (const text of ['', 'x', sealed.slice(1), `${sealed}A`, sealed.slice(0, -4), null, undefined]) {
      expect(reader.read('contact', text), String(text)).to.equal(null);
    }
  });

  it('is the same for the same address, and shows nothing of it', () => {
    const uri = 'sip:asterisk@10.0.0.9:5080';
    const sealed = (text: string): string => writer.write('contact', { uri: text, near: '' });
    expect(sealed(uri)).to.equal(sealed(uri));
    expect(sealed(`${uri}1`).slice(0, 16)).not.to.equal(sealed(uri).slice(0, 16));
  });
});
