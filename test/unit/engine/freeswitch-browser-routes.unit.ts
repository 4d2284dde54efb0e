import { expect } from 'chai';
import { BrowserRoutes, routeVariables } from '../../../engine/freeswitch/browsers/routes.js';
import type { EslEvent } from '../../../engine/freeswitch/esl/esl-connection.js';

const AOR = `web.${'a'.repeat(32)}`;
const at = (port: number, host = '127.0.0.1'): string =>
  `sofia/hatif/sip:x1@y2.invalid;transport=ws;fs_nat=yes;fs_path=sip%3Ax1%40${host}%3A${port}%3Btransport%3Dws`;

describe('the way of FreeSWITCH’s requests to browsers', () => {
  const DIALLED = { 'Answer-State': 'answered', ...prefixed(routeVariables(AOR, at(41_000))) };
  const CALLING = {
    'Answer-State': 'answered',
    variable_sip_via_protocol: 'ws',
    variable_sip_auth_username: AOR,
    variable_sip_received_ip: '127.0.0.1',
    variable_sip_received_port: '41000',
  };
  /** What is sent to FreeSWITCH for a channel with these variables, whose browser has this contact now. */
  const sent = async (dump: EslEvent | null, contact: string): Promise<readonly string[]> => {
    const commands: string[] = [];
    const routes = new BrowserRoutes({
      link: { api: (command) => Promise.resolve(String(commands.push(command))) },
      dumpOf: () => Promise.resolve(dump),
      contactOf: (aor) => Promise.resolve(aor === AOR ? contact : 'error/user_not_registered'),
    });
    await routes.check('channel');
    return commands;
  };
  const renewed = (place: string): readonly string[] => [
    `uuid_setvar channel hatif_browser_at ${place}`,
    `uuid_setvar channel sip_route_uri sip:${place};transport=ws`,
    'uuid_media_reneg channel',
  ];

  it('changes when the browser is back on another WebSocket, in calls of both directions', async () => {
    for (const dump of [DIALLED, CALLING]) {
      expect(await sent(dump, at(41_001))).to.deep.equal(renewed('127.0.0.1:41001'));
      // The API may be at another address, too.
      expect(await sent(dump, at(41_000, '%5B2001%3Adb8%3A%3A1%5D'))).to.deep.equal(renewed('[2001:db8::1]:41000'));
      const twice = { ...dump, variable_hatif_browser_at: '127.0.0.1:41001' };
      expect(await sent(twice, at(41_001))).to.deep.equal([]);
    }
  });

  it('stays as it is after any other re-INVITE', async () => {
    expect(await sent(DIALLED, at(41_000))).to.deep.equal([]);
    expect(await sent(CALLING, at(41_000))).to.deep.equal([]);
    expect(await sent(null, at(41_001)), 'the call is over').to.deep.equal([]);
    expect(await sent({ ...CALLING, 'Answer-State': 'ringing' }, at(41_001))).to.deep.equal([]);
    expect(await sent({ ...CALLING, variable_sip_via_protocol: 'udp' }, at(41_001))).to.deep.equal([]);
    expect(await sent({ ...CALLING, variable_sip_auth_username: '1001' }, at(41_001))).to.deep.equal([]);
    expect(await sent({ 'Answer-State': 'answered' }, at(41_001)), 'a trunk').to.deep.equal([]);
    for (const contact of ['error/user_not_registered', 'sofia/hatif/sip:x@y.invalid;fs_path=sip%3Ax%40evil%20']) {
      expect(await sent(CALLING, contact), contact).to.deep.equal([]);
    }
  });

  it('is known of a browser only', () => {
    expect(routeVariables(AOR, 'sofia/hatif/sip:x@192.0.2.1:5060')).to.deep.equal({});
  });
});

function prefixed(variables: Readonly<Record<string, string>>): EslEvent {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`variable_${name}`, value]));
}
