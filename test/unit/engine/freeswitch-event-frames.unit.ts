import { expect } from 'chai';
import type { EslEvent } from '../../../engine/freeswitch/esl/esl-connection.js';
import { EventFrames } from '../../../engine/freeswitch/esl/event-frames.js';

const event = (fields: object): string => {
  const body = JSON.stringify(fields);
  return `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n${body}`;
};
const REPLY = 'Content-Type: command/reply\nReply-Text: +OK\n\n';
const ANSWER = 'Content-Type: api/response\nContent-Length: 9\n\n+OK\n\nmore';

describe('Frames of the event socket', () => {
  /** What was read, in order, if the bytes arrive in pieces of this size. */
  const read = (stream: string, pieceBytes: number): readonly (EslEvent | string)[] => {
    const found: (EslEvent | string)[] = [];
    let other = '';
    const flush = (): void => {
      if (other !== '') found.push(other);
      other = '';
    };
    const frames = new EventFrames(
      (one) => {
        flush();
        found.push(one);
      },
      (bytes) => (other += bytes.toString('utf8')),
    );
    const bytes = Buffer.from(stream);
    for (let at = 0; at < bytes.length; at += pieceBytes) frames.push(bytes.subarray(at, at + pieceBytes));
    flush();
    return found;
  };

  it('are read in order, events apart from all others, however they are cut', () => {
    const stream = `${REPLY}${event({ a: 'س', b: '\n\n' })}${ANSWER}${REPLY}${event({ c: '1' })}${event({ d: '2' })}${REPLY}`;
    const whole = [REPLY, { a: 'س', b: '\n\n' }, ANSWER + REPLY, { c: '1' }, { d: '2' }, REPLY];
    for (const pieceBytes of [1, 7, 64, stream.length * 2]) {
      expect(read(stream, pieceBytes), `${pieceBytes} bytes at a time`).to.deep.equal(whole);
    }
  });

  it('have only texts as values', () => {
    expect(read(event({ length: 12, list: ['a'], none: null, _body: 'x' }), 100)).to.deep.equal([
      { length: '12', list: '', none: '', _body: 'x' },
    ]);
  });

  it('that are no JSON are reported', () => {
    const broken = 'Content-Length: 2\nContent-Type: text/event-json\n\n{"';
    expect(() => read(broken, 100)).to.throw(SyntaxError);
  });
});
