import type { ErrorFamily } from './row.js';

export const PROJECT_ERRORS = {
  PROJECT_NOT_FOUND: {
    status: 404,
    message: 'No project with the id {project_id} exists in your organization.',
    message_ar: 'لا يوجد في مؤسستك مشروع بالمعرّف {project_id}.',
    hint: 'List the projects of the organization to find the right id.',
    hint_ar: 'اعرض قائمة مشاريع المؤسسة للعثور على المعرّف الصحيح.',
  },
} as const satisfies ErrorFamily;
