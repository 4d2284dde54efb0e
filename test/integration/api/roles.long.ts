import { expect } from 'chai';
import { roleFaults } from '../../tenancy/roles-run.js';
import { World } from '../../tenancy/world.js';

describe('every operation with every role', function () {
  this.timeout(3_600_000);
  let world: World;

  before(async () => {
    world = await World.open();
  });
  after(() => world.close());

  it('works for each role that may, except agents, who have only own rows', async () => {
    expect(await roleFaults(world)).to.deep.equal([]);
  });
});
