import { expect } from 'chai';
import { RepeatedDigits } from '../../../engine/asterisk/repeated-digits.js';

/** Recorded from Asterisk 22.10: the keys that were pressed, and `digit@milliseconds/duration` of each event. */
const RECORDED = [
  {
    what: '100 ms long, 20 ms apart',
    keys: '22221111110',
    events:
      '2@0/100 2@117/100 2@242/100 2@269/100 2@361/100 2@415/100 1@476/100 1@561/100 1@598/100 1@707/100 1@716/100 1@853/100 1@865/100 1@1011/100 1@1013/100 1@1166/100 1@1167/100 1@1314/100 0@1315/100 0@1460/100',
  },
  {
    what: '200 ms long, 20 ms apart',
    keys: '12221122110',
    events:
      '1@0/200 2@220/200 2@438/200 2@465/200 2@661/200 2@728/200 1@881/200 1@973/200 1@1097/200 1@1240/200 2@1318/200 2@1503/200 2@1540/200 2@1757/200 1@1763/200 1@2004/200 1@2005/200 1@2252/200 0@2254/100 0@2500/100',
  },
  {
    what: '60 ms long, 40 ms apart',
    keys: '22222222220',
    events:
      '2@0/60 2@98/60 2@199/60 2@300/60 2@397/60 2@425/60 2@496/60 2@551/60 2@597/60 2@676/60 2@697/60 2@801/60 2@802/60 2@927/60 2@927/60 2@1052/60 0@1059/100 0@1177/100',
  },
  {
    what: '40 ms long, 60 ms apart',
    keys: '21122111120',
    events:
      '2@0/40 1@94/40 1@197/40 1@219/40 2@297/40 2@345/40 2@397/40 2@471/40 1@495/40 1@596/40 1@599/40 1@724/40 1@725/40 1@849/40 1@853/40 1@979/40 2@979/40 2@1104/40 0@1105/100 0@1230/100',
  },
  {
    what: 'of any length, at any distance',
    keys: '21111122220',
    events:
      '2@0/140 1@104/40 1@200/40 1@343/40 1@441/40 1@469/40 1@580/40 1@594/40 2@841/180 2@1060/160 2@1066/160 2@1241/160 2@1272/160 2@1404/60 2@1477/60 0@1602/100',
  },
  {
    what: 'pressed by hand',
    keys: '11111211210',
    events:
      '1@0/100 1@543/140 1@1061/140 1@1384/100 1@1822/140 2@2100/220 1@2305/60 1@2742/200 2@3101/200 1@3661/160 0@3862/100',
  },
  {
    what: 'whose packets were delayed by 200 ms',
    keys: '11111111210',
    events:
      '1@0/100 1@395/100 1@404/100 1@441/100 1@607/100 1@801/100 1@1019/100 1@1200/100 1@1401/100 2@1603/100 1@1800/100 0@2022/100',
  },
  {
    what: 'whose packets were delayed by 300 ms',
    keys: '11222222220',
    events:
      '1@0/100 1@203/100 2@661/100 2@661/100 2@706/100 2@804/100 2@851/100 2@1002/100 2@1318/100 2@1401/100 2@1444/100 2@1605/100 2@1802/100 0@2027/100',
  },
  {
    what: 'whose packets were delayed by 500 ms',
    keys: '22111222220',
    events:
      '2@0/100 2@576/100 1@576/100 1@701/100 1@702/100 1@847/100 1@1242/100 2@1243/100 2@1388/100 2@1388/100 2@1533/100 2@1533/100 2@1678/100 2@1678/100 2@1823/100 2@1824/100 2@1968/100 0@2020/100 0@2114/100',
  },
] as const;

function digitsOf(events: string): readonly { digit: string; at: number; durationMs: number }[] {
  return events.split(' ').map((event) => {
    const [digit = '', at, durationMs] = event.split(/[@/]/);
    return { digit, at: Number(at) + Date.UTC(2026, 10, 23), durationMs: Number(durationMs) };
  });
}

describe('digits that Asterisk reports twice', () => {
  for (const { what, keys, events } of RECORDED) {
    it(`are recognised among keys ${what}`, () => {
      const repeated = new RepeatedDigits();
      const reported = digitsOf(events).filter((digit) => !repeated.isRepeated(digit));
      expect(reported.map(({ digit }) => digit).join('')).to.equal(keys);
    });
  }
});
