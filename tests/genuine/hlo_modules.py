"""Modules for hlo_oracle.py, in all that HLO text of custom calls can say."""

import re

HLO = {
    "custom calls": r"""
HloModule custom-calls.1, input_output_alias={ {0}: (0, {}, may-alias), {2}: (1, {0}, must-alias) }

f {
  ROOT a = f32[2] parameter(0)
}

g {
  ROOT a.1 = f32[2] parameter(0)
}

ENTRY e {
  p = f32[2] parameter(0), sharding={replicated}, frontend_attributes={x="y",b="{a:1}"}
  q = (f32[2],(f32[2],s32[])) parameter(1)
  t = token[] after-all()
  c = f32[2] custom-call(p), custom_call_target="a b\"c\001\303\244", to_apply=f,
    schedule=SCHEDULE_LATEST, literal=f32[2]{0} {1, 2}, control-predecessors={t},
    backend_config="\001x\377\n'\000"
  d = (f32[2],(f32[2])) custom-call(p, q), custom_call_target="k", called_computations={f,g},
    api_version=API_VERSION_STATUS_RETURNING_UNIFIED, custom_call_has_side_effect=true,
    output_to_operand_aliasing={{0}: (0, {}), {1,0}: (1, {1,0})}, backend_config={"a": "}"},
    operand_layout_constraints={f32[2]{0}, (f32[2]{0}, (f32[2]{0}, s32[]))}
  ad = f32[2] add-dependency(c, t)
  ca = f32[2] call(ad), to_apply=f
  w = f32[2] custom-call(ca), custom_call_target="conv", dim_labels=b01f_01io->b01f,
    window={size=3x3 stride=2x2 pad=0_0x1_-1 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x0},
    feature_group_count=2, batch_group_count=3, custom_call_has_side_effect=true
  w2 = f32[2] custom-call(w), custom_call_target="padded", padding_type=PADDING_VALID,
    metadata={op_type="T" op_name="n\"" source_file="x.py" source_line=3},
    api_version=API_VERSION_STATUS_RETURNING
  q.1 = (f32[2], s32[]) get-tuple-element(q), index=1
  d.1 = f32[2] get-tuple-element(d), index=0
  ROOT r = (f32[2], (f32[2], s32[]), f32[2]) tuple(w2, q.1, d.1)
}
""",
    "typed calls and layouts": r"""
HloModule typed, entry_computation_layout={(f32[2]{0}, f32[2,3]{0,1})->(f32[2]{0}, f32[2,3]{0,1})}

ENTRY e {
  p = f32[2]{0} parameter(0)
  p1 = f32[2,3]{0,1} parameter(1)
  w = f32[2,3]{0,1} broadcast(p), dimensions={0}
  cd = f32[2,3]{0,1} custom-call(w, p), custom_call_target="k", custom_call_has_side_effect=true,
    operand_layout_constraints={f32[2,3]{0,1}, f32[2]{0}}
  ce = (f32[2,3]{0,1}, f32[2]{0}) custom-call(p1, p), custom_call_target="k2",
    operand_layout_constraints={f32[2,3]{0,1}, f32[2]{0}}, api_version=API_VERSION_TYPED_FFI,
    backend_config={a = 1 : i32, d = {x = array<i64: 1, 2>}, s = "}\22"}, schedule=SCHEDULE_EARLIEST
  g = f32[2]{0} get-tuple-element(ce), index=1
  ROOT r = (f32[2], f32[2,3]{0,1}) tuple(g, cd)
}
""",
    "tokens": r"""
HloModule tokens

ENTRY e {
  a = token[] after-all()
  b = token[] custom-call(a), custom_call_target="k", custom_call_has_side_effect=true
  c = (f32[2], token[]) custom-call(b), custom_call_target="k", custom_call_has_side_effect=true
  d = token[] get-tuple-element(c), index=1
  e = token[] after-all(a, b, d)
  f = f32[2] get-tuple-element(c), index=0
  ROOT g = f32[2] add-dependency(f, e)
}
""",
    "nested tuples": r"""
HloModule nested

ENTRY e {
  p = f32[2] parameter(0)
  a = () tuple()
  b = (f32[2], ()) tuple(p, a)
  c = ((f32[2], ()), f32[2]) tuple(b, p)
  d = ((f32[2], ()), (f32[2])) custom-call(c, b), custom_call_target="k"
  e = (f32[2], ()) get-tuple-element(d), index=0
  ROOT f = f32[2] get-tuple-element(e), index=0
}
""",
    "arithmetic": r"""
HloModule arithmetic

ENTRY e {
  p = f32[4,1] parameter(0)
  q = s32[4,1] parameter(1)
  a = f32[4,1] abs(p)
  b = f32[4,1] negate(a)
  c = f32[4,1] add(a, b)
  d = f32[4,1] subtract(c, p)
  e = f32[4,1] multiply(d, c)
  f = f32[4,1] divide(e, d)
  g = f32[4,1] maximum(f, e)
  h = f32[4,1] minimum(g, f)
  i = f32[4] reshape(h)
  j = f32[2,4] broadcast(i), dimensions={1}
  k = s32[2,4] convert(j)
  l = s32[2,4]{0,1} copy(k)
  ROOT r = (s32[2,4]{0,1}, s32[4,1]) tuple(l, q)
}
""",
    "constants": r"""
HloModule constants

ENTRY e {
  a = f32[3,0] constant({ {}, {}, {} })
  b = f32[0] constant({})
  b1 = f32[2,0,3] constant({{},{}})
  c = f32[2,2]{0,1} constant({{1,2},{3,4}})
  c1 = f32[2,2,2]{1,0,2} constant({{{1,2},{3,4}},{{5,6},{7,8}}})
  d = (f32[2],s32[],()) constant(({1,2},3,()))
  f = c128[] constant((1.5,-inf))
  g = c64[1] constant({(nan,0.1)})
  h = f32[8] constant({nan(0x400001), -nan(0x7f), -nan, nan, 1e-45, 0.1, -0, 3.4028235e38})
  h1 = bf16[6] constant({nan(0x41), -nan(0x7f), -nan, nan, 1e-45, 0.1})
  i = s4[3] constant({-8,7,1})
  i1 = s4[3]{0:E(4)} constant({-8,7,1})
  j = u4[3] constant({8,7,1})
  k = f64[4] constant({nan(0x8000000000001), 0.1, 1e308, -inf})
  l = f16[4] constant({nan(0x201), 0.1, 65504, 6e-8})
  x = f8e5m2[6] constant({nan,inf,-inf,0.1,-nan,57344})
  y = f8e4m3fn[4] constant({nan,448,-0.1,-nan})
  y1 = f8e4m3b11fnuz[3] constant({nan,30,-0.1})
  y2 = f8e5m2fnuz[3] constant({nan,3,-0.1})
  y3 = f8e4m3fnuz[3] constant({nan,4,-0.1})
  y5 = pred[3] constant({true,false,1})
  y6 = u64[3] constant({18446744073709551615,0,1})
  y7 = s64[] constant(-9223372036854775808)
  y8 = c64[2,1]{0,1} constant({{(1,2)},{(3,4)}})
  y9 = s8[2] constant({-128, 127})
  y10 = u16[2] constant({0, 65535})
  y11 = s16[2] constant({-32768, 5})
  ROOT r = (f32[3,0],f32[0]) tuple(a,b)
}
""",
    "younger constants": r"""
HloModule younger

ENTRY e {
  a = s2[3] constant({-2,1,0})
  b = u2[3] constant({3,1,0})
  x = f8e4m3[4] constant({nan,240,-0.1,inf})
  y = f8e3m4[4] constant({nan,15.5,-0.1,-inf})
  ROOT r = (s2[3]) tuple(a)
}
""",
}

HLO["quotes in frontend attributes"] = r"""
HloModule quotes

ENTRY e {
  ROOT p = f32[2] parameter(0), frontend_attributes={x="y\"z\\",b={"a":"}"}}
}
"""

# What this XLA does not read: younger types, and quotes that it wrote itself.
UNREADABLE = {"0.4.30": {"younger constants", "quotes in frontend attributes"}}

# What StableHLO can say ...
IN_STABLEHLO = {"nested tuples", "tokens", "typed calls and layouts"}
# ... but not this XLA's: that of 0.4.30 has no typed calls, and no tokens for mhlo.add_dependency.
NOT_IN_STABLEHLO = {"0.4.30": {"tokens", "typed calls and layouts"}}

STABLEHLO = {
    "of JAX's kind": r"""
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xi32>)
      -> (tensor<4xf32>, tensor<2x3xi8>, tensor<2x3xi32>) {
    %0:2 = stablehlo.custom_call @of_version_2(%arg0, %arg1) {api_version = 2 : i32,
      has_side_effect = true, backend_config = "",
      operand_layouts = [dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>],
      result_layouts = [dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>]}
      : (tensor<4xf32>, tensor<2x3xi32>) -> (tensor<4xf32>, tensor<2x3xi8>)
    %1 = stablehlo.custom_call @of_version_3(%0#0) {api_version = 3 : i32,
      backend_config = "\00\FF\22{",
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @of_version_1(%arg1) {mhlo.frontend_attributes = {a = "b"}}
      : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %1, %0#1, %2 : tensor<4xf32>, tensor<2x3xi8>, tensor<2x3xi32>
  }
}
""",
    "of tuples and tokens": r"""
module @m {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<3xbf16>)
      -> (tensor<4xf32>, tensor<3xbf16>) {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4xf32>, tensor<3xbf16>>
    %2 = stablehlo.tuple %1, %arg0 : tuple<tuple<tensor<4xf32>, tensor<3xbf16>>, tensor<4xf32>>
    %3:2 = stablehlo.custom_call @with_token(%0, %2) {has_side_effect = true}
      : (!stablehlo.token, tuple<tuple<tensor<4xf32>, tensor<3xbf16>>, tensor<4xf32>>)
      -> (tensor<4xf32>, !stablehlo.token)
    %4 = stablehlo.custom_call @last(%3#1, %arg1) {has_side_effect = true}
      : (!stablehlo.token, tensor<3xbf16>) -> tensor<3xbf16>
    return %3#0, %4 : tensor<4xf32>, tensor<3xbf16>
  }
}
""",
}


def targets(stablehlo):
    return re.findall(r"custom_call @(\w+)", stablehlo)


def custom_calls(text):
    """What the custom calls of HLO text are, but for the names of instructions."""
    calls = re.findall(r"= (.*) custom-call\([^)]*\), (.*)", text)
    return sorted((shape, re.sub(r", schedule=\w+|%", "", rest)) for shape, rest in calls)
