import base from "./vite.config.ts";
export default {...base, build:{...base.build, minify:"terser", terserOptions:{ecma:2022,module:true,toplevel:true,compress:{passes:4,ecma:2022,unsafe_arrows:true,unsafe_math:true,pure_getters:true,keep_fargs:false,unsafe:true,unsafe_methods:true,hoist_props:true},mangle:{toplevel:true}}}};
