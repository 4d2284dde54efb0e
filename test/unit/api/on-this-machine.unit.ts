import { expect } from 'chai';
import type { Request } from 'express';
import { isOnThisMachine } from '../../../api/http/request/on-this-machine.js';

const HERE = 'http://127.0.0.1:8080';

/** A request as Express shows it, as far as the function reads it. */
const isLocal = (remoteAddress: string, headers: Record<string, string>, publicUrl = HERE): boolean =>
  isOnThisMachine({ socket: { remoteAddress }, headers } as unknown as Request, publicUrl);

describe('a request', () => {
  it('is from this machine if its address and its host are loopback', () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
      for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:80'])
        expect(isLocal(address, { host }), `${address} ${host}`).to.equal(true);
    expect(isLocal('127.0.0.1', { host: 'localhost' }, 'http://localhost:8080')).to.equal(true);
  });

  it('is not, if it comes from another address', () => {
    for (const address of ['192.168.1.7', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', 'fe80::1', ''])
      expect(isLocal(address, { host: 'localhost' }), address).to.equal(false);
  });

  it('is not, if a proxy forwarded it, whatever the header says', () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host'])
      for (const value of ['127.0.0.1', ''])
        expect(isLocal('127.0.0.1', { host: 'localhost', [name]: value }), name).to.equal(false);
    expect(isLocal('127.0.0.1', { host: '127.0.0.1:8080' }, 'https://voice.example.com')).to.equal(false);
  });

  it('is not, if its host is a name that only resolves to this machine', () => {
    for (const host of ['rebound.example', 'localhost.example', '127.0.0.1.example', 'x@rebound.example', ''])
      expect(isLocal('127.0.0.1', { host }), host).to.equal(false);
    expect(isLocal('127.0.0.1', {})).to.equal(false);
  });
});
