export const PROJECT_ERRORS = {
  PROJECT_NOT_FOUND: {
    status: 404,
    message: 'No project with the id {project_id} exists in your organization.',
    message_ar: 'لا يوجد في مؤسستك مشروع بالمعرّف {project_id}.',
    hint: 'List the projects of the organization to find the right id.',
    hint_ar: 'اعرض قائمة مشاريع المؤسسة للعثور على المعرّف الصحيح.',
  },
  PROJECT_IN_USE: {
    status: 409,
    message: 'The project cannot be removed: {reason}.',
    message_ar: 'لا يمكن حذف المشروع: {reason}.',
    hint: 'Release its numbers, end its calls and return its balance to the organization first.',
    hint_ar: 'حرّر أرقامه وأنهِ مكالماته وأعد رصيده إلى المؤسسة أولًا.',
  },
} as const;
