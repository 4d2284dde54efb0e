import { expect } from 'chai';
import { metadataSchema } from '../../../../core/model/metadata.js';
import { factsOfHeaders } from '../../../../core/services/live-calls/routing/phone-headers.js';

const many = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Hatif-V${index}`, value]));

describe('the headers of a phone', () => {
  it('are variables of call flows, and metadata of the call', () => {
    const headers = { 'X-Hatif-Order-Id': 'A-17', 'x-hatif-tier': 'gold', 'X-Hatif-1': 'no name', 'X-Hatif-': 'none' };
    const variables = { web_order_id: 'A-17', web_tier: 'gold' };
    expect(factsOfHeaders(headers, {})).to.deep.equal({ variables, metadata: variables });
    expect(factsOfHeaders({}, { ticket: '4711' })).to.deep.equal({ variables: {}, metadata: { ticket: '4711' } });
  });

  it('never replace metadata that the project set', () => {
    const own = { ticket: '4711', web_tier: 'silver' };
    const { metadata, variables } = factsOfHeaders({ 'X-Hatif-Tier': 'gold', 'X-Hatif-Ticket': '1' }, own);
    expect(metadata).to.deep.equal({ ...own, web_ticket: '1' });
    expect(variables).to.deep.equal({ web_tier: 'gold', web_ticket: '1' });
  });

  it('are limited in number and length', () => {
    const { variables } = factsOfHeaders(many(30, 'x'.repeat(1000)), {});
    expect(Object.keys(variables)).to.have.lengthOf(20);
    expect(new Set(Object.values(variables).map(({ length }) => length))).to.deep.equal(new Set([256]));
  });

  it('leave room for the metadata that the project set', () => {
    for (const [own, added] of [
      [0, 20],
      [15, 5],
      [20, 0],
    ] as const) {
      const set = Object.fromEntries(Array.from({ length: own }, (_, index) => [`own_${index}`, 'mine']));
      const { metadata } = factsOfHeaders(many(30, 'x'), set);
      const values = Object.values(metadata);
      const count = (wanted: string): number => values.filter((value) => value === wanted).length;
      expect([count('mine'), count('x')]).to.deep.equal([own, added]);
    }
  });

  it('can be stored, whatever they hold', () => {
    const headers = { 'X-Hatif-Cut': `${'x'.repeat(255)}😀`, 'X-Hatif-Nul': 'a\0b', 'X-Hatif-Name': 'ريم 😀' };
    const { metadata } = factsOfHeaders(headers, {});
    expect(metadataSchema.safeParse(metadata).success).to.equal(true);
    expect(metadata).to.include({ web_nul: 'a\uFFFDb', web_name: 'ريم 😀' });
  });
});
