import { usageBesidePlainSql } from '../../support/judges/usage-property.js';

describe('usage compared with plain SQL', function () {
  this.timeout(120_000);
  usageBesidePlainSql([2, 3, 4, 5]);
});
