import { expect } from 'chai';
import type { MessageReceiptRow } from '../../../../core/data/repositories/messaging/receipts.js';
import type { SubmittedPart } from '../../../../core/data/repositories/messaging/submissions.js';
import { withReceipts } from '../../../../core/services/messaging/submitting/with-receipts.js';

describe('answers with receipts', () => {
  it('are delivered parts, and the receipts are not stored', () => {
    const [one, other] = [answer('a'), answer('b')];
    const [own, foreign] = [receipt('a'), receipt('z')];
    const { parts, receipts, delivered } = withReceipts([one, other], [own, foreign]);
    expect(parts).to.deep.equal([{ ...one.parts[0], state: 'delivered' }, other.parts[0]]);
    expect(receipts).to.deep.equal([foreign]);
    expect([...delivered]).to.deep.equal([one]);
    expect(one.parts[0]?.state).to.equal('sent');
  });

  it('are matched by provider and id, once', () => {
    const given = [answer('a')];
    const [first, second] = [receipt('a'), receipt('a')];
    const { receipts, delivered } = withReceipts(given, [{ ...receipt('a'), provider: 'other' }, first, second]);
    expect(delivered.size).to.equal(1);
    expect(receipts.map(({ provider }) => provider)).to.deep.equal(['other', 'smsc']);
  });

  it('stay apart if the message has more parts, the receipt is of a failure, or no response was seen', () => {
    const answers = [
      { ...answer('a'), isOnly: false },
      answer('b'),
      { isOnly: true, parts: [{ ...part('c'), state: 'unknown' as const }] },
      { isOnly: true, parts: [{ ...part('d'), provider_id: null }] },
    ];
    const given = [receipt('a'), receipt('b', 'failed'), receipt('c'), receipt('')];
    const { parts, receipts, delivered } = withReceipts(answers, given);
    expect(parts).to.deep.equal(answers.flatMap((one) => one.parts));
    expect(receipts).to.deep.equal(given);
    expect(delivered.size).to.equal(0);
  });
});

function answer(id: string) {
  return { isOnly: true, parts: [part(id)] };
}

function part(provider_id: string): SubmittedPart {
  return { message_id: `message ${provider_id}`, part: 1, state: 'sent', provider: 'smsc', provider_id };
}

function receipt(provider_id: string, state: MessageReceiptRow['state'] = 'delivered'): MessageReceiptRow {
  return {
    ...{ id: `receipt ${provider_id}`, provider: 'smsc', provider_id, state, reason: null, provider_code: null },
    ...{ recipient: null, sender: null, received_at: new Date(0) },
  };
}
