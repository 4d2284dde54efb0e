import { expect } from 'chai';
import type { AriChannel } from '../../../engine/asterisk/ari/ari-types.js';
import { qualityOf as asteriskQuality } from '../../../engine/asterisk/rtp-quality.js';
import { LegRegistry, type RegisteredLeg } from '../../../engine/freeswitch/leg-registry.js';
import { storeReport, qualityOf as freeswitchQuality } from '../../../engine/freeswitch/rtp-quality.js';

const STATISTICS =
  'ssrc=1;themssrc=2;lp=24;rxjitter=0.000500;rxcount=376;txjitter=0.015625;txcount=350;rlp=3;rtt=0.042053;rxmes=88.1;txmes=46.3';

function channel(channelvars: Record<string, string>): AriChannel {
  const none = { name: '', number: '' };
  return { id: '1.0', name: 'PJSIP/x-1', state: 'Up', caller: none, creationtime: '', dialplan: {}, channelvars };
}

describe('Asterisk: quality of a leg', () => {
  const of = (text: string, formats = '(alaw)'): ReturnType<typeof asteriskQuality> =>
    asteriskQuality(channel({ RTPAUDIOQOS: text, 'CHANNEL(audionativeformat)': formats }));

  it('is parsed from Asterisk’s statistics at the end', () => {
    expect(of(STATISTICS)).to.deep.equal({
      codec: 'alaw',
      packetsSent: 350,
      packetsReceived: 376,
      packetsLost: 24,
      lossShare: 0.06,
      jitterMs: 15.625,
      roundTripMs: 42.053,
      mos: 1.88,
    });
  });

  it('has no round trip time if none was reported, and no loss for duplicated packets', () => {
    const text = STATISTICS.replace('rtt=0.042053', 'rtt=0.000000').replace('lp=24', 'lp=4294967293');
    expect(of(text)).to.include({ roundTripMs: null, packetsLost: 0, lossShare: 0 });
  });

  it('has no round trip time if the phone’s clock makes it negative', () => {
    const quality = of(STATISTICS.replace('rtt=0.042053', 'rtt=65535.999893').replace('lp=24', 'lp=0'));
    expect(quality?.roundTripMs).to.equal(null);
    expect(quality?.mos).to.be.above(4);
  });

  it('has a codec only if there was exactly one', () => {
    expect(of(STATISTICS, '(ulaw|alaw)')?.codec).to.equal(null);
    expect(of(STATISTICS, '')?.codec).to.equal(null);
  });

  it('is unknown if the statistics are missing or invalid', () => {
    for (const text of ['', 'ssrc=1', 'lp=x;rxcount=1;txcount=1', ';;=;']) expect(of(text), text).to.equal(null);
    expect(asteriskQuality(channel({}))).to.equal(null);
    expect(asteriskQuality(undefined)).to.equal(null);
  });
});

describe('FreeSWITCH: quality of a leg', () => {
  const ended = {
    variable_rtp_audio_out_packet_count: '576',
    variable_rtp_audio_in_packet_count: '450',
    variable_rtp_use_codec_name: 'PCMA',
  };
  const leg = (): RegisteredLeg['rtcp'] => new LegRegistry().open('leg', 'channel').rtcp;

  it('combines the packet counts and the last RTCP reports', () => {
    const reported = leg();
    storeReport(reported, { 'Event-Name': 'SEND_RTCP_MESSAGE', 'Source-Lost': '20', 'Source-Jitter': '40' });
    storeReport(reported, { 'Event-Name': 'RECV_RTCP_MESSAGE', 'Rtt0-Avg': '0.050024' });
    storeReport(reported, { 'Event-Name': 'SEND_RTCP_MESSAGE', 'Source-Lost': '50', 'Source-Jitter': '80' });
    expect(freeswitchQuality(reported, ended)).to.deep.equal({
      codec: 'alaw',
      packetsSent: 576,
      packetsReceived: 450,
      packetsLost: 50,
      lossShare: 0.1,
      jitterMs: 10,
      roundTripMs: 50.024,
      mos: 1.42,
    });
  });

  it('has no jitter without a report, or if the reported value is implausible', () => {
    expect(freeswitchQuality(leg(), ended)).to.include({ jitterMs: null, roundTripMs: null, packetsLost: 0 });
    const wideband = leg();
    storeReport(wideband, { 'Event-Name': 'SEND_RTCP_MESSAGE', 'Source-Lost': '0', 'Source-Jitter': '9000' });
    const event = { ...ended, variable_rtp_use_codec_name: 'G722' };
    expect(freeswitchQuality(wideband, event)).to.include({ codec: 'g722', jitterMs: null });
  });

  it('is unknown for a leg without audio', () => {
    expect(freeswitchQuality(leg(), {})).to.equal(null);
  });
});
