import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { NODES } from '../../../core/model/flow/nodes/index.js';
import type { NodeDescriptor } from '../../../core/model/flow/parts/descriptor.js';

const PAGE = readFileSync('docs/reference/call-flows.md', 'utf8');

describe('The registry of flow node types', () => {
  const types = NODES.map(({ schema }) => schema.shape.type.value);

  it('contains each type once', () => {
    expect(types).to.have.length(new Set(types).size);
  });

  it('contains only types that have a row in the table of the documentation', () => {
    for (const type of types) expect(PAGE).to.include(`\n| \`${type}\` |`);
  });

  it('contains only result variables that the documentation lists', () => {
    for (const { resultVariables = [] } of NODES as readonly NodeDescriptor[]) {
      for (const name of resultVariables) expect(PAGE).to.include(`\`${name}\``);
    }
  });
});
